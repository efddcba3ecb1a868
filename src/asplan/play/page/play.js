"use strict";
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const svg = find("drawing");
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  const scene = { width: data.width ?? 1, height: data.height ?? 1, objects: [] };
  const drawing = makeDrawing(scene, svg);
  let space = null;
  const board = makeBoard(svg, drawing, () => space, (moves, begun) => act(moves, begun), preview);

  // What was done: `path` holds the states from the start, each with the action that led to it, and
  // `now` is where in it the player is; what is behind that can be done again.
  let path = [], now = 0, best, hinted = null, solving = null, asking = 0;
  const here = () => path[now].state;

  function act(moves, begun) {
    pause();
    path = [...path.slice(0, now + 1), ...moves.map(({ name, to }) => ({ name, state: to }))];
    jump(path.length - 1, begun);
  }

  // Begins at one of the starts.
  async function begin(start) {
    pause();
    try { await space.load(start); } catch (error) { say(error.message, "wrong"); return; }
    path = [{ state: start, name: "" }];
    now = 0;
    best = space.distance(start);
    if (best === Infinity) best = null;
    const told = jump(0);
    say(find("dead").hidden && find("won").hidden ? welcome() : "");
    if (best === undefined) {
      space.way(start).then((way) => {
        if (path[0].state === start) best = way ? way.length : null;
      }, () => {}).then(tell);
    }
    await told;
  }

  function welcome() {
    if (!space.things.length) return "Choose what happens.";
    const keys = window.matchMedia("(pointer: coarse)").matches ? "" : ", or use the arrow keys";
    return svg.querySelector(".movable") ? `Drag what you want to move${keys}.` : "Choose what happens.";
  }

  async function jump(to, begun) {
    const from = now;
    show(null);
    now = Math.max(0, Math.min(path.length - 1, to));
    hinted = null;
    say("");
    board.go(here(), begun);
    tell();
    const state = here();
    if (!space.moves(state)) {
      try { await space.load(state); } catch (error) { say(error.message, "wrong"); }
      if (state === here()) tell();
    }
    if (space.isGoal(state) && from !== now && state === here()) celebrate();
  }

  // Shows the goal that is nearest, and the game again as soon as anything is done.

  let goal = null;
  function show(state) {
    goal = state;
    find("goal").setAttribute("aria-pressed", goal !== null);
    find("viewer").classList.toggle("ahead", goal !== null);
  }

  function leaveGoal() {
    if (goal !== null) jump(now);
  }

  async function showGoal() {
    if (goal !== null) { leaveGoal(); return; }
    pause();
    const way = await wayFrom(here());
    if (!way?.length) return;
    const { to } = way.at(-1);
    try { await space.load(to); } catch (error) { say(error.message, "wrong"); return; }
    show(to);
    board.go(to);
    listFluents(to, here());
    say(`This is the nearest goal, ${plural(way.length, "step")} ahead.`);
  }

  // Sentences and numbers.

  function say(text, kind = "") {
    find("said").textContent = text;
    find("said").className = kind;
  }

  const number = (n) => (n === undefined ? "?" : n === null || n === Infinity ? "–" : n);
  function preview(steps) { find("done").textContent = now + steps; }

  function tell() {
    const state = here(), left = space.distance(state), moves = space.moves(state);
    find("done").textContent = now;
    find("best").textContent = number(best);
    find("left").textContent = number(left);
    find("left-word").textContent = left === Infinity ? "dead end" : "to go";
    find("dead").hidden = left !== Infinity;
    find("again").hidden = now === 0;
    find("dead-undo").hidden = now === 0;
    find("dead-text").textContent = now === 0 ? "This puzzle has no solution; that is proven."
      : best === null ? "No goal can be reached, from here or from anywhere."
      : "A dead end: no goal can be reached from here.";
    find("won").hidden = !space.isGoal(state);
    if (space.isGoal(state)) find("won-text").textContent = verdict();
    find("undo").disabled = find("restart").disabled = now === 0;
    find("redo").disabled = now === path.length - 1;
    for (const id of ["goal", "hint", "solve"]) find(id).disabled = left === 0 || left === Infinity;
    const buttons = (moves ?? []).map((move) => {
      const button = document.createElement("button");
      button.textContent = move.name || "–";
      button.addEventListener("click", () => act([move]));
      return button;
    });
    if (moves && !moves.length) buttons.push("There is nothing to do.");
    const focused = find("moves").contains(document.activeElement);
    find("moves").replaceChildren(...buttons);
    find("moves").setAttribute("aria-busy", moves ? "false" : "true");
    if (focused) find("moves").querySelector("button")?.focus();
    const entries = path.map(({ name }, i) => {
      const item = document.createElement("li"), button = document.createElement("button");
      for (const text of [i, i ? name || "–" : "start"]) {
        button.appendChild(document.createElement("span")).textContent = text;
      }
      if (i === now) button.setAttribute("aria-current", "step");
      button.classList.toggle("undone", i > now);
      button.addEventListener("click", () => { pause(); jump(i); });
      item.appendChild(button);
      return item;
    });
    find("actions").replaceChildren(...entries);
    const item = entries[now], list = find("actions");
    list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
    list.style.scrollBehavior = "auto";
    listFluents(state, path[Math.max(0, now - 1)].state);
    if (moves) board.offer();
  }

  function verdict() {
    if (now === 0) return "The goal holds at the start: there is nothing to do.";
    if (best === undefined) return `Solved in ${plural(now, "step")}.`;
    if (now === best) return `Solved in ${plural(now, "step")}, the fewest there are.`;
    return `Solved in ${plural(now, "step")}; ${best} ${best === 1 ? "is" : "are"} possible.`;
  }

  // What holds, by predicate; what the last step has changed is marked.

  const byName = new Intl.Collator("en", { numeric: true });
  function listFluents(state, from) {
    const holds = space.holds(state);
    find("state").hidden = holds === null;
    if (holds === null) return;
    const before = new Set(space.holds(from)), after = new Set(holds);
    const groups = new Map();
    for (const fluent of [...new Set([...before, ...after])].sort(byName.compare)) {
      const name = fluent.replace(/\(.*/s, ""), chip = document.createElement(
        !after.has(fluent) ? "del" : before.has(fluent) ? "span" : "ins");
      chip.textContent = fluent;
      if (!groups.has(name)) groups.set(name, document.createElement("li"));
      groups.get(name).append(chip, " ");
    }
    find("fluents").replaceChildren(...groups.values());
  }

  // Help: an action on a shortest way, and the whole way, from wherever the player is.

  async function wayFrom(state) {
    const mine = ++asking;
    if (space.distance(state) === undefined) say("Looking for a shortest plan …");
    try {
      const way = await space.way(state);
      if (mine !== asking || state !== here()) return undefined;
      say("");
      tell();
      return way;
    } catch (error) {
      if (mine === asking) say(error.message, "wrong");
      return undefined;
    }
  }

  async function hint() {
    leaveGoal();
    if (hinted?.state === here()) { act([hinted.move]); return; }
    pause();
    const state = here(), way = await wayFrom(state);
    if (!way?.length) return;
    hinted = { state, move: way[0] };
    board.hint(way[0]);
    say(`${way[0].name || "Wait"} is on a shortest way: ${plural(way.length, "step")} to go. Hint again does it.`);
    [...find("moves").children].find((b) => b.textContent === way[0].name)?.classList.add("hinted");
  }

  function pause() {
    solving = null;
    find("solve").textContent = "Solve";
    find("solve").setAttribute("aria-pressed", "false");
  }

  async function solve() {
    if (solving) { pause(); return; }
    const way = await wayFrom(here());
    if (!way?.length || solving) return;
    solving = way;
    find("solve").textContent = "Pause";
    find("solve").setAttribute("aria-pressed", "true");
    while (way.length) {
      const move = way.shift();
      path = [...path.slice(0, now + 1), { name: move.name, state: move.to }];
      const rest = new Promise((resolve) => { setTimeout(resolve, 420); });
      await jump(path.length - 1);
      if (!space.moves(here())) break;
      if (way.length) await rest;
      if (solving !== way) return;
    }
    pause();
  }

  // Confetti from where the goal was reached.
  function celebrate() {
    if (still.matches) return;
    for (const element of [find("won"), find("frame")]) {
      element.classList.remove("pop");
      void element.offsetWidth;
      element.classList.add("pop");
    }
    const frame = find("frame").getBoundingClientRect(), place = board.lastPlace() ?? frame;
    for (let i = 0; i < 70; i++) {
      const spark = document.createElement("i"), angle = 2 * Math.PI * Math.random();
      const far = frame.width * (0.1 + 0.5 * Math.random()), x = far * Math.cos(angle), y = far * Math.sin(angle);
      spark.className = `spark spark${i % 6}`;
      spark.style.left = `${place.left + place.width / 2 - frame.left}px`;
      spark.style.top = `${place.top + place.height / 2 - frame.top}px`;
      find("frame").appendChild(spark);
      const turn = `rotate(${720 * (Math.random() - 0.5)}deg)`;
      spark.animate([
        { transform: "translate(0, 0)", opacity: 1 },
        { transform: `translate(${x}px, ${y}px) ${turn}`, opacity: 1, offset: 0.45, easing: "ease-in" },
        { transform: `translate(${1.15 * x}px, ${y + frame.height / 2}px) ${turn} ${turn}`, opacity: 0 },
      ], { duration: 1100 + 900 * Math.random(), easing: "ease-out" }).onfinish = () => spark.remove();
    }
  }

  const undo = () => { pause(); if (now) jump(now - 1); };
  const redo = () => { pause(); if (now < path.length - 1) jump(now + 1); };
  const restart = () => { pause(); if (now) jump(0); };
  const clicks = { undo, redo, restart, goal: showGoal, hint, solve, again: restart, "dead-undo": undo };
  for (const [id, action] of Object.entries(clicks)) find(id).addEventListener("click", action);
  const KEYS = { u: undo, r: redo, g: showGoal, h: hint, s: solve, Home: restart };
  document.addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      event.preventDefault();
      (event.shiftKey ? redo : undo)();
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey || board.isBusy()) return;
    const plays = event.target === document.body || find("viewer").contains(event.target);
    if (key.startsWith("Arrow") && plays) {
      event.preventDefault();
      if (goal === null) board.arrow(key);
      else leaveGoal();
    } else if (KEYS[key]) {
      event.preventDefault();
      KEYS[key]();
    } else if (key === "Escape") { board.select(null); leaveGoal(); }
  });
  svg.addEventListener("pointerdown", (event) => {
    if (goal === null) return;
    event.stopPropagation();
    leaveGoal();
  }, true);

  try {
    if (data.served) {
      space = await servedSpace((thing, before) => drawing.add(thing, before));
    } else {
      space = await packedSpace(data);
      data.things.forEach((thing) => drawing.add(thing));
    }
  } catch (error) {
    say(error.message, "wrong");
    return;
  }
  const first = space.picture(0);
  document.documentElement.style.setProperty("--ratio", scene.width / scene.height);
  if (!space.things.length) {
    // Where nothing is drawn, what can happen and what holds are the game.
    find("frame").replaceChildren(find("possible"), find("state"));
    find("viewer").classList.add("undrawn");
  }
  drawing.ground(first);
  find("summary").textContent = data.about;
  const several = data.starts.length > 1;
  if (several) find("summary").textContent += ` · ${data.starts.length} initial states`;
  find("starts").hidden = !several;
  find("start").append(...data.starts.map((text, i) => new Option(`${i + 1}: ${text}`, i)));
  find("start").addEventListener("change", ({ target }) => begin(Number(target.value)));
  begin(0).then(() => { document.body.dataset.ready = "yes"; });
})();
