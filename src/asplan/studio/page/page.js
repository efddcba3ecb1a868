// Shows what the server tells, section by section, and sends what the user wants to be otherwise.

import "./reasons.js";
import { drawChart } from "./chart.js";
import { base, linked, placeOf, reveal, showHeat, showRemarks, showSources } from "./source.js";

const find = (id) => document.getElementById(id);
const form = find("settings");
const told = { doing: "", steps: { steps: [] } }; // what each section says
let shownError = 0;

const number = () => (told.run ? told.run.number : 0);
const isNew = (section) => Boolean(told[section]) && told[section].number === number();

// The outcome: the run's own, or what has come instead of it.

function state() {
  if (told.lost) return ["lost", "asplan studio has ended, or cannot be reached."];
  if (isNew("wrong")) return ["error", ""];
  if (isNew("outcome")) return [told.outcome.outcome, told.outcome.reason];
  if (told.stopped > number()) return ["stopped", ""];
  return ["working", ""];
}

function facts(outcome) {
  const found = [];
  if (outcome.horizon !== null) found.push(`${outcome.horizon} steps`);
  if (["plan", "unknown"].includes(outcome.outcome)) found.push(...bounded(outcome.lower_bound, outcome.horizon === null));
  if (outcome.cost) found.push(`cost ${outcome.cost.join(" ")}`);
  if (outcome.validated) found.push("plan checked");
  found.push(`${outcome.seconds.toFixed(2)} s`);
  return found;
}

// A bound alone would sound as if there were a plan.
function bounded(bound, isOpen) {
  if (!bound) return [];
  return [`no plan has fewer than ${bound} step${bound === 1 ? "" : "s"}${isOpen ? "; whether there is one is not known" : ""}`];
}

function showStatus() {
  const [what, reason] = state();
  const outcome = find("outcome");
  // Written only where it differs, for a screen reader says it each time.
  const write = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  const isOutcome = isNew("outcome") && what === told.outcome.outcome;
  write(outcome, what === "working" ? "working …" : isOutcome ? told.outcome.verdict : what);
  outcome.className = isOutcome && told.outcome.doubtful ? "doubtful" : what;
  write(find("reason"), reason);
  const names = (told.sources || []).filter((s, i) => s.editable || i < 2).map((s) => base(s.file));
  write(find("title"), names.length ? names.slice(0, 3).join(" · ") : "asplan studio");
  const isEditable = (told.sources || []).some((s) => s.editable);
  write(find("follows"), isEditable ? "Edit the files, here or in your own editor; I follow." : "Edit the files in your editor; I follow.");
  document.title = [what, names[0], "asplan studio"].filter(Boolean).join(" · ");
  find("stop").disabled = !told.doing;
  find("plan").classList.toggle("stale", Boolean(told.plan) && !isNew("plan") && told.plan.lines.length > 0);
  find("costs").classList.toggle("stale", Boolean(told.steps) && !isNew("steps"));
  showTime();
}

function showTime() {
  const working = state()[0] === "working" && Boolean(told.doing);
  find("time").hidden = !working;
  const bound = isNew("progress") ? told.progress.lower_bound : 0;
  const parts = [];
  if (working) {
    const seconds = Math.max(0, Date.now() / 1000 - told.run.began);
    find("time").max = told.run.limit;
    find("time").value = seconds;
    parts.push(told.doing, ...bounded(bound, false), `${seconds.toFixed(1)} of ${told.run.limit} s`);
  } else if (isNew("outcome")) {
    parts.push(...facts(told.outcome));
    if (told.doing) parts.push(told.doing);
  } else if (state()[0] === "stopped") {
    parts.push(...bounded(bound, true));
  }
  find("doing").textContent = parts.join(" · ");
}

// The plan: its player where it can be drawn, its steps with what each of them changes, and the state at one of them.

let chosen = 0;

function showPlan() {
  const { lines, states } = told.plan, body = find("steps").querySelector("tbody");
  showNone();
  find("steps").hidden = !lines.length;
  find("steps-title").textContent = lines.length === 1 ? "1 step" : `${lines.length} steps`;
  find("steps").classList.toggle("bare", !states.length);
  body.replaceChildren(...(states.length ? [["0", "start"], ...lines] : lines).map(([t, action], i) => {
    const row = document.createElement("tr");
    row.dataset.step = t;
    row.addEventListener("click", () => choose(Number(t), true));
    row.insertCell().append(marked("button", t || "–"));
    row.insertCell().textContent = action;
    row.insertCell().append(...(i && states.length ? changes(states[i - 1], states[i]) : []));
    return row;
  }));
  if (!lines.length) find("player").hidden = true;
  choose(0);
}

function showNone() {
  const none = find("no-plan");
  none.hidden = told.plan.lines.length > 0;
  none.textContent = isNew("outcome") && told.outcome.horizon === 0 ? "Nothing to do: the goal holds at the start." : "No plan.";
}

function marked(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function changes(before, now) {
  const was = new Set(before), is = new Set(now);
  const found = [...now.filter((f) => !was.has(f)).map((f) => marked("ins", f)), ...before.filter((f) => !is.has(f)).map((f) => marked("del", f))];
  for (const mark of found) mark.dataset.atom = mark.textContent;
  return found.flatMap((mark, i) => (i ? [" ", mark] : [mark]));
}

// Shows the state at a step, in the list, the player and below; each atom there, or no longer there, is an item of #state with its text in `data-atom`.
function choose(t, isTold) {
  const { states } = told.plan, rows = [...find("steps").querySelectorAll("tbody tr")];
  chosen = t;
  rows.forEach((row, i) => { row.className = states.length && i === t ? "chosen" : ""; });
  const list = find("steps").querySelector(".wide"), row = states.length ? rows[t] : null;
  if (row && (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight)) list.scrollTop = row.offsetTop - list.clientHeight / 2;
  find("state").hidden = !(states[t] || []).length;
  find("state").dataset.step = t;
  find("state-title").textContent = `State ${t}`;
  const now = states[t] || [], before = states[t - 1] || now, was = new Set(before), is = new Set(now);
  find("state").querySelector("ul").replaceChildren(...[...now, ...before.filter((atom) => !is.has(atom))].map((atom) => {
    const item = document.createElement("li");
    item.dataset.atom = atom;
    item.append(!is.has(atom) ? marked("del", atom) : was.has(atom) ? atom : marked("ins", atom));
    return item;
  }));
  if (isTold) find("player").contentWindow.postMessage({ step: t }, "*"); // its page has no origin that could be named
}

function showPlayer() {
  const { number: of, reason } = told.player, player = find("player");
  const isOfPlan = Boolean(told.plan) && told.plan.number === of && !reason;
  player.hidden = !isOfPlan;
  if (isOfPlan && player.dataset.of !== String(of)) {
    player.src = `player?${of}#plain`;
    player.dataset.of = of;
  }
  if (reason) {
    find("no-plan").hidden = false;
    find("no-plan").textContent = `The plan is not drawn: ${reason}`;
  }
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== find("player").contentWindow || !data) return;
  if (data.height > 0) find("player").style.height = `${Math.min(2000, Math.ceil(data.height) + 2)}px`;
  if (Number.isInteger(data.step) && told.plan && data.step !== chosen && told.plan.states[data.step]) choose(data.step);
});

function showWhy() {
  // A reason that was found during the search is about shorter plans than the one that was found.
  const hasPlan = isNew("outcome") && told.outcome.horizon !== null;
  const why = isNew("why") && !hasPlan ? told.why : null;
  find("why").hidden = !why || !why.paragraphs.length;
  find("why-open").hidden = state()[0] !== "working";
  // What is known may be about these steps alone.
  const never = isNew("outcome") && told.outcome.outcome === "unsolvable";
  find("why-title").textContent = why && !never ? `Why there is no plan of ${why.steps} steps` : "Why there is no plan";
  find("why").querySelector("div").replaceChildren(...(why ? why.paragraphs : []).map((lines) => {
    const made = document.createElement("p");
    made.append(...lines.map(linked));
    return made;
  }));
}

function showSteps() {
  const { steps } = told.steps;
  find("no-chart").hidden = steps.length > 0;
  if (!find("costs").hidden) drawChart(find("chart"), steps);
}

// Errors and warnings: at their lines, and at the top.

function showRemarksOfRun() {
  const wrong = isNew("wrong") ? told.wrong : null;
  const warnings = isNew("warnings") ? told.warnings.remarks : [];
  showRemarks([
    ...(wrong ? [{ ...wrong, severity: "error" }] : []), ...warnings.map((warning) => ({ ...warning, severity: "warning" })),
  ]);
  find("notes").replaceChildren(...warnings.map((warning) => {
    const item = document.createElement("li");
    item.append(...(warning.file ? [placeButton(warning), " "] : []), `${warning.message} [${warning.code}]`);
    if (warning.hint) item.append(marked("small", warning.hint));
    return item;
  }));
  find("error").hidden = !wrong;
  if (!wrong) return;
  find("message").textContent = wrong.message;
  find("hint").textContent = wrong.hint;
  find("place").textContent = placeOf(wrong);
  find("place").hidden = !wrong.file;
  if (shownError !== wrong.number) {
    shownError = wrong.number;
    reveal(wrong);
  }
}

function placeButton(remark) {
  const button = marked("button", placeOf(remark));
  button.className = "place";
  button.addEventListener("click", () => reveal(remark));
  return button;
}

find("place").addEventListener("click", () => reveal(told.wrong));

// Bars of the run before would stand beside other lines.
const heated = () => showHeat(find("scale"), find("heat"), isNew("heat") ? told.heat : null);

// The tabs: arrows go from one to the other.

const tabs = [find("plan-tab"), find("costs-tab")];

function open(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", each === tab);
    each.tabIndex = each === tab ? 0 : -1;
    find(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  if (!find("costs").hidden) drawChart(find("chart"), told.steps.steps);
}

for (const tab of tabs) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", ({ key }) => {
    if (!["ArrowLeft", "ArrowRight"].includes(key)) return;
    const other = tabs[1 - tabs.indexOf(tab)];
    open(other);
    other.focus();
  });
}

// The settings.

function option(value, text = value) {
  return new Option(text, value);
}

function put(field, value) {
  if (field !== document.activeElement) field.value = value; // somebody may be typing
}

function showSettings() {
  const { settings, progress } = told;
  const groups = Object.entries(settings.shipped);
  const own = groups.filter(([domain]) => progress && domain === progress.domain);
  const select = form.elements.encoding;
  const group = (label, names) => {
    const made = document.createElement("optgroup");
    made.label = label;
    made.append(...names.map((name) => option(name)));
    return made;
  };
  const given = settings.encodings.length ? [group("given", settings.encodings)] : [];
  const choices = [option("", "the fastest"), ...given, ...(own.length ? own : groups).map((g) => group(...g))];
  const shape = JSON.stringify([settings.encodings, own.map((g) => g[0])]);
  if (select.dataset.shape !== shape) {
    select.replaceChildren(...choices);
    select.dataset.shape = shape;
  }
  put(select, settings.encoding);
  find("encodings").hidden = Boolean(progress && progress.is_whole);
  showVariants(settings.variants, progress && progress.domain);
  put(form.elements.constants, settings.constants);
  put(form.elements.max_horizon, settings.max_horizon ?? "");
  put(form.elements.time_limit, settings.time_limit);
}

function showVariants(variants, domain) {
  for (const { name, value, values } of variants) {
    let select = form.elements[name];
    if (!select) {
      const label = document.createElement("label");
      label.append(`${name[0].toUpperCase()}${name.slice(1)} `);
      select = label.appendChild(document.createElement("select"));
      select.name = name;
      select.dataset.variant = "";
      select.append(option("", "default"), ...[...new Set(Object.values(values).flat())].map((v) => option(v)));
      find("variants").append(label);
    }
    select.parentNode.hidden = !value && !(domain in values);
    put(select, value);
  }
}

// Sends what is wanted; returns why it is refused, or an empty text.
async function send(to, body) {
  try {
    const answer = await fetch(to, { method: "POST", body: body && JSON.stringify(body) });
    return answer.status === 204 ? "" : (await answer.json()).error;
  } catch {
    return "asplan studio cannot be reached.";
  }
}

const ask = async (to, body) => { find("refused").textContent = await send(to, body); };

function wanted() {
  const { encoding, constants, max_horizon, time_limit } = form.elements;
  const variants = [...form.querySelectorAll("[data-variant]")];
  return {
    encoding: encoding.value,
    constants: constants.value,
    variants: Object.fromEntries(variants.map((select) => [select.name, select.value])),
    max_horizon: max_horizon.value === "" ? null : Number(max_horizon.value),
    time_limit: Number(time_limit.value),
  };
}

form.addEventListener("change", () => { if (form.reportValidity()) ask("settings", wanted()); });
form.addEventListener("submit", (event) => { event.preventDefault(); ask("settings", wanted()); });
find("stop").addEventListener("click", () => ask("stop"));

// What is told.

const SHOW = {
  settings: showSettings,
  sources: () => { showSources(find("files"), told.sources, send); heated(); showRemarksOfRun(); if (told.why) showWhy(); },
  run: () => { showRemarksOfRun(); showWhy(); },
  progress: showSettings,
  outcome: () => { showWhy(); if (told.plan) showNone(); if (told.player) showPlayer(); },
  stopped: showWhy,
  doing: () => {},
  steps: showSteps,
  reasons: () => document.dispatchEvent(new CustomEvent("reasons", { detail: isNew("reasons") ? told.reasons : null })),
  plan: () => { showPlan(); if (told.player) showPlayer(); },
  player: showPlayer,
  why: showWhy,
  heat: heated,
  warnings: showRemarksOfRun,
  wrong: showRemarksOfRun,
};

const events = new EventSource("events");
for (const [section, show] of Object.entries(SHOW)) {
  events.addEventListener(section, (event) => {
    told[section] = JSON.parse(event.data);
    show();
    showStatus();
  });
}
events.addEventListener("open", () => { told.lost = false; });
events.addEventListener("error", () => { told.lost = true; showStatus(); });

setInterval(showTime, 100);
new ResizeObserver(() => { if (!find("costs").hidden) drawChart(find("chart"), told.steps.steps); }).observe(find("chart"));
