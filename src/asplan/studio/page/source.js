// Shows the files, line by line, with a bar for what the rules of a line cost, and what is wrong.

const rows = new Map(); // "file:line" -> its row
let hot = [], said = [];

const base = (file) => file.split(/[\\/]/).pop();
const key = (file, line) => `${file}:${line}`;

function cell(row, name, text = "") {
  const made = row.insertCell();
  made.className = name;
  made.textContent = text;
  return made;
}

export function showSources(place, sources) {
  const open = new Map([...place.children].map((d) => [d.dataset.file, [d.open, d.lastChild.scrollTop]]));
  rows.clear();
  place.replaceChildren(...sources.map(({ file, lines, note }) => {
    const box = document.createElement("details"), title = document.createElement("summary");
    const [wasOpen, scroll] = open.get(file) || [true, 0];
    Object.assign(box, { open: wasOpen });
    box.dataset.file = file;
    title.textContent = base(file);
    title.title = file;
    title.appendChild(document.createElement("small")).textContent = note;
    const inner = document.createElement("div"), table = document.createElement("table");
    inner.className = "lines";
    inner.tabIndex = 0; // so that a keyboard can scroll it
    inner.setAttribute("role", "region");
    inner.setAttribute("aria-label", `Lines of ${base(file)}`);
    lines.forEach((text, i) => {
      const row = table.insertRow();
      cell(row, "number", i + 1);
      cell(row, "bar");
      cell(row, /^\s*[%;]/.test(text) ? "code comment" : "code", text);
      rows.set(key(file, i + 1), row);
    });
    inner.append(table);
    box.append(title, inner);
    requestAnimationFrame(() => { inner.scrollTop = scroll; });
    return box;
  }));
}

// `heat` is null as long as nothing is known. The length of a bar is linear; the longest is that of the dearest line.
export function showHeat(scale, dearest, heat) {
  hot.forEach((bar) => bar.replaceChildren());
  hot = [];
  if (!heat) {
    scale.textContent = "Bars: how often the rules of a line were instantiated; they come with the profile.";
    showDearest(dearest, []);
    return;
  }
  const most = Math.max(1, ...heat.lines.map((line) => line.instantiations));
  for (const line of heat.lines) {
    const row = rows.get(key(line.file, line.line));
    if (!row || !line.instantiations) continue;
    const bar = row.cells[1], about = line.approximate ? "about " : "";
    const text = `${about}${line.instantiations.toLocaleString("en")} instantiations, ${(100 * line.share).toFixed(1)} %`;
    bar.title = line.advice ? `${text}. ${line.advice}` : text;
    const length = document.createElement("i"), words = document.createElement("span");
    length.style.width = `${(100 * line.instantiations) / most}%`;
    words.className = "unseen";
    words.textContent = text;
    bar.append(length, words);
    hot.push(bar);
  }
  scale.textContent = heat.lines.length
    ? `Bars: how often the rules of a line were instantiated up to horizon ${heat.horizon}, linear; the longest is ${most.toLocaleString("en")}.` +
      (heat.reason ? ` So far: ${heat.reason}.` : "")
    : `No bars: ${heat.reason || "nothing was instantiated"}.`;
  showDearest(dearest, heat.lines.filter((line) => rows.has(key(line.file, line.line))).slice(0, 3));
}

function showDearest(place, lines) {
  place.hidden = !lines.length;
  place.querySelectorAll("button").forEach((button) => button.remove());
  for (const line of lines) {
    const button = document.createElement("button");
    button.textContent = `${base(line.file)}:${line.line} (${(100 * line.share).toFixed(0)} %)`;
    button.addEventListener("click", () => reveal(line));
    place.append(button, " ");
  }
}

export function showError(error) {
  said.forEach((row) => row.remove());
  said = [];
  document.querySelectorAll(".wrong").forEach((row) => row.classList.remove("wrong"));
  const row = error && rows.get(key(error.file, error.line));
  if (!row) return false;
  row.classList.add("wrong");
  const note = row.parentNode.insertRow(row.sectionRowIndex + 1);
  note.className = "said";
  cell(note, "number");
  cell(note, "bar");
  cell(note, "code", error.message);
  said.push(note);
  return true;
}

// Scrolls the list of lines alone, and not the page.
export function reveal(error) {
  const row = rows.get(key(error.file, error.line));
  if (!row) return;
  row.closest("details").open = true;
  document.querySelectorAll(".shown").forEach((other) => other.classList.remove("shown"));
  row.classList.add("shown");
  const list = row.closest(".lines");
  list.scrollTop = row.offsetTop - list.clientHeight / 3;
}

export const placeOf = ({ file, line, column }) => (file ? `${base(file)}:${line}:${column}` : "");
