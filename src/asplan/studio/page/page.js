// Shows what the server tells, section by section, and sends what the user wants to be otherwise.

import "./reasons.js";
import { drawChart } from "./chart.js";
import { placeOf, reveal, showError, showHeat, showSources } from "./source.js";

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
  if (["plan", "unknown"].includes(outcome.outcome) && outcome.lower_bound) found.push(`every plan has at least ${outcome.lower_bound} steps`);
  if (outcome.cost) found.push(`cost ${outcome.cost.join(" ")}`);
  if (outcome.validated) found.push("plan checked");
  found.push(`${outcome.seconds.toFixed(2)} s`);
  return found;
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
  const names = (told.sources || []).map((s) => s.file.split(/[\\/]/).pop());
  write(find("title"), ["asplan studio", ...names.slice(0, 3)].join(" · "));
  document.title = [what, names[0], "asplan studio"].filter(Boolean).join(" · ");
  find("stop").disabled = !told.doing;
  find("notes").replaceChildren(...(isNew("outcome") ? told.outcome.warnings : []).map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  for (const [id, section] of [["plan", "plan"], ["horizons", "steps"]]) {
    find(id).classList.toggle("stale", Boolean(told[section]) && !isNew(section));
  }
  showTime();
}

function proven() {
  const bound = isNew("progress") ? told.progress.lower_bound : 0;
  return bound ? [`every plan has at least ${bound} steps`] : [];
}

function showTime() {
  const working = state()[0] === "working" && Boolean(told.doing);
  find("time").hidden = !working;
  const parts = [];
  if (working) {
    const seconds = Math.max(0, Date.now() / 1000 - told.run.began);
    find("time").max = told.run.limit;
    find("time").value = seconds;
    parts.push(told.doing, ...proven());
    parts.push(`${seconds.toFixed(1)} of ${told.run.limit} s`);
  } else if (isNew("outcome")) {
    parts.push(...facts(told.outcome));
    if (told.doing) parts.push(told.doing);
  } else if (state()[0] === "stopped") {
    parts.push(...proven());
  }
  find("doing").textContent = parts.join(" · ");
}

// The plan: its player where it can be drawn, and always its steps.

function showPlan() {
  const { lines } = told.plan, list = find("steps");
  find("no-plan").hidden = lines.length > 0;
  find("no-plan").textContent = told.outcome && told.outcome.horizon === 0 ? "Nothing to do." : "No plan.";
  list.hidden = !lines.length;
  list.open = find("player").hidden;
  list.querySelector("summary").textContent = `${lines.length} steps as text`;
  list.querySelector("ol").replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    for (const text of line) item.appendChild(document.createElement("span")).textContent = text;
    return item;
  }));
  if (!lines.length) find("player").hidden = true;
}

function showPlayer() {
  const { number: of, reason } = told.player, player = find("player");
  const isOfPlan = Boolean(told.plan) && told.plan.number === of && !reason;
  player.hidden = !isOfPlan;
  if (isOfPlan && player.dataset.of !== String(of)) {
    player.src = `player?${of}`;
    player.dataset.of = of;
    find("steps").open = false;
  }
  if (reason) {
    find("no-plan").hidden = false;
    find("no-plan").textContent = `The plan is not drawn: ${reason}`;
  }
}

function showSteps() {
  const { steps } = told.steps;
  find("horizons").hidden = !steps.length;
  drawChart(find("chart"), steps);
  find("figures").querySelector("tbody").replaceChildren(...steps.map(([horizon, ...seconds]) => {
    const row = document.createElement("tr");
    for (const text of [horizon, ...seconds.map((s) => s.toFixed(3))]) row.insertCell().textContent = text;
    return row;
  }));
}

function showWrong() {
  const error = isNew("wrong") ? told.wrong : null;
  const box = find("error");
  box.hidden = !error;
  const isPlaced = showError(error);
  if (!error) return;
  find("message").textContent = error.message;
  find("hint").textContent = error.hint;
  const place = find("place");
  place.textContent = placeOf(error);
  if (isPlaced) place.href = "#source";
  else place.removeAttribute("href");
  if (isPlaced && shownError !== error.number) {
    shownError = error.number;
    reveal(error);
  }
}

// Bars of the run before would stand beside other lines.
const heated = () => showHeat(find("scale"), find("dearest"), isNew("heat") ? told.heat : null);

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

async function send(to, body) {
  try {
    const answer = await fetch(to, { method: "POST", body: body && JSON.stringify(body) });
    find("refused").textContent = answer.status === 422 ? (await answer.json()).error : "";
  } catch {
    find("refused").textContent = "asplan studio cannot be reached.";
  }
}

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

form.addEventListener("change", () => { if (form.reportValidity()) send("settings", wanted()); });
form.addEventListener("submit", (event) => { event.preventDefault(); send("settings", wanted()); });
find("stop").addEventListener("click", () => send("stop"));

// What is told.

const SHOW = {
  settings: showSettings,
  sources: () => { showSources(find("files"), told.sources); heated(); showWrong(); },
  run: showWrong,
  progress: showSettings,
  outcome: () => {},
  stopped: () => {},
  doing: () => {},
  steps: showSteps,
  reasons: () => document.dispatchEvent(new CustomEvent("reasons", { detail: isNew("reasons") ? told.reasons : null })),
  plan: () => { showPlan(); if (told.player) showPlayer(); },
  player: showPlayer,
  heat: heated,
  wrong: showWrong,
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
new ResizeObserver(() => drawChart(find("chart"), told.steps.steps)).observe(find("chart"));
