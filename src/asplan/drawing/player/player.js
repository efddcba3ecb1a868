"use strict";
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const last = scene.last;
  const find = (id) => document.getElementById(id);
  const ICONS = { play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");

  // A page around it that shows the plan and its states itself asks for a plain one, and hears of height and step.
  const isPlain = location.hash === "#plain" && parent !== window;
  document.documentElement.classList.toggle("plain", isPlain);
  if (isPlain) {
    new ResizeObserver(() => parent.postMessage({ height: find("viewer").offsetHeight }, "*")).observe(find("viewer"));
    window.addEventListener("message", ({ source, data }) => {
      if (source === parent && Number.isInteger(data.step)) { pause(); go(data.step); }
    });
  }

  const drawing = makeDrawing(scene, find("drawing"));
  drawing.ground(drawing.objects.map(({ steps }) => steps[0]));
  document.documentElement.style.setProperty("--ratio", scene.width / scene.height);

  const follow = drawing.widen(find("stage"));

  const solid = scene.fold ? makeSolid(scene, drawing, find("solid")) : null;
  const isFolded = () => find("fold").getAttribute("aria-pressed") === "true";

  function draw(position) {
    const step = Math.min(Math.floor(position), last);
    (isFolded() ? solid : drawing).show(step, Math.min(step + 1, last), position - step);
  }

  function fold() {
    const folded = !isFolded();
    find("fold").setAttribute("aria-pressed", folded);
    find("solid").toggleAttribute("hidden", !folded);
    find("drawing").toggleAttribute("hidden", folded);
    draw(position);
  }

  if (solid) {
    find("fold").hidden = false;
    find("fold").addEventListener("click", fold);
    const TURNS = { a: [-15, 0], d: [15, 0], w: [0, -15], s: [0, 15] };
    document.addEventListener("keydown", (event) => {
      const plain = !event.altKey && !event.ctrlKey && !event.metaKey && event.target.tagName !== "SELECT";
      if (plain && isFolded() && TURNS[event.key]) solid.turn(...TURNS[event.key]);
    });
  }

  // The list of actions. Only the current entry is a tab stop; arrows move within the list.

  const entries = ["start", ...scene.actions].map((action, t) => {
    const item = document.createElement("li"), button = document.createElement("button");
    for (const text of [t, action || "–"]) {
      button.appendChild(document.createElement("span")).textContent = text;
    }
    button.tabIndex = -1;
    button.addEventListener("click", () => { pause(); go(t); });
    find("actions").appendChild(item).appendChild(button);
    return button;
  });

  const why = scene.why ? makeWhy(scene.why, find("why")) : null;

  // What holds, with what the step has changed marked.

  const byName = new Intl.Collator("en", { numeric: true });
  const fluents = scene.fluents.sort(([a], [b]) => byName.compare(a, b));
  const holds = (changes, t) => changes.filter((at) => at <= t).length % 2 === 1;

  function list(t) {
    find("holds").textContent = `State ${t}`;
    const items = fluents.flatMap(([fluent, changes]) => {
      const now = holds(changes, t), before = t ? holds(changes, t - 1) : now;
      if (!now && !before) return [];
      const item = document.createElement("li");
      const mark = item.appendChild(document.createElement(now && before ? "span" : now ? "ins" : "del"));
      if (why) why.ask(mark, fluent, why.fluent(fluent, t), pause);
      else mark.textContent = fluent;
      return [item];
    });
    find("fluents").replaceChildren(...items);
  }

  // The player: `step` is where it is or is going, `position` what is drawn.

  let step = 0, position = 0, playing = false, frame = 0, timer = 0;

  function tell() {
    const action = step ? scene.actions[step - 1] : "";
    find("count").textContent = `Step ${step} of ${last}`;
    const names = why ? why.actions(step) : [];
    find("action").textContent = names.length ? "" : action;
    for (const name of names) why.ask(find("action"), name, name, pause);
    const slider = find("slider");
    slider.value = step;
    slider.setAttribute("aria-valuetext", `${step} of ${last}${action && ": " + action}`);
    for (const id of ["first", "back"]) find(id).disabled = step === 0;
    for (const id of ["last", "forward"]) find(id).disabled = step === last;
    entries.forEach((button, t) => {
      button.tabIndex = t === step ? 0 : -1;
      if (t === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    reveal(entries[step].parentNode);
    follow(step);
    list(step);
    if (isPlain) parent.postMessage({ step }, "*");
  }

  // Scrolls the list alone; scrollIntoView would move the page on a phone.
  function reveal(item) {
    const list = find("actions"), top = item.offsetTop - list.offsetTop;
    const above = top < list.scrollTop, below = top + item.offsetHeight > list.scrollTop + list.clientHeight;
    if (above || below) list.scrollTop = top - list.clientHeight / 2;
  }

  function go(to, done) {
    const from = position;
    cancelAnimationFrame(frame);
    step = Math.max(0, Math.min(last, to));
    tell();
    const seconds = scene.move / Number(find("speed").value);
    const near = Math.abs(step - from) < 2 && !still.matches;
    const start = performance.now();
    const move = (now) => {
      const share = near ? Math.min(1, Math.max(0, now - start) / seconds) : 1;
      position = share === 1 ? step : from + (step - from) * share;
      draw(position);
      if (share < 1) frame = requestAnimationFrame(move);
      else if (done) done();
    };
    move(start);
  }

  function play() {
    playing = true;
    sign();
    const next = () => {
      if (!playing) return;
      if (step === last) { pause(); return; }
      go(step + 1, () => { timer = setTimeout(next, scene.rest / Number(find("speed").value)); });
    };
    if (step === last) go(0);
    timer = setTimeout(next, scene.rest);
  }

  function pause() {
    playing = false;
    clearTimeout(timer);
    sign();
  }

  function sign() {
    find("icon").setAttribute("d", playing ? ICONS.pause : ICONS.play);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    // A screen reader cannot keep up with every step of a running animation.
    find("status").setAttribute("aria-live", playing ? "off" : "polite");
  }

  const toggle = () => (playing ? pause() : play());
  const jump = (to) => { pause(); go(to); };

  find("play").addEventListener("click", toggle);
  find("first").addEventListener("click", () => jump(0));
  find("back").addEventListener("click", () => jump(step - 1));
  find("forward").addEventListener("click", () => jump(step + 1));
  find("last").addEventListener("click", () => jump(last));
  find("slider").addEventListener("input", (event) => jump(Number(event.target.value)));

  const KEYS = {
    ArrowLeft: () => jump(step - 1), ArrowRight: () => jump(step + 1),
    Home: () => jump(0), End: () => jump(last), " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    const tag = event.target.tagName;
    if (event.altKey || event.ctrlKey || event.metaKey || tag === "SELECT") return;
    if (tag === "INPUT" && event.key !== " ") return;
    if (tag === "BUTTON" && event.key === " ") return;
    const inList = find("actions").contains(event.target);
    const keys = inList ? { ...KEYS, ArrowUp: KEYS.ArrowLeft, ArrowDown: KEYS.ArrowRight } : KEYS;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    if (inList) entries[step].focus();
  });

  find("state").hidden = !fluents.length;
  find("slider").max = last;
  find("slider").disabled = find("play").disabled = last === 0;
  find("summary").textContent = last === 1 ? "1 step" : `${last} steps`;
  sign();
  go(0);
})();
