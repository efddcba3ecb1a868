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
  let path = [{ state: 0, name: "" }], now = 0, best, hinted = null, timer = 0, asking = 0;
  const here = () => path[now].state;

  function act(moves, begun) {
    pause();
    path = [...path.slice(0, now + 1), ...moves.map(({ name, to }) => ({ name, state: to }))];
    jump(path.length - 1, begun);
  }

  async function jump(to, begun) {
    const from = now;
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
    if (space.isGoal(state) && from !== now) celebrate();
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
    find("dead-undo").hidden = now === 0;
    find("dead-text").textContent = now === 0 ? "There is no way out from the start: this is proven."
      : best === null ? "No goal can be reached, from here or from anywhere."
      : "A dead end: no goal can be reached from here.";
    find("won").hidden = !space.isGoal(state);
    if (space.isGoal(state)) find("won-text").textContent = verdict();
    find("undo").disabled = find("restart").disabled = now === 0;
    find("redo").disabled = now === path.length - 1;
    find("hint").disabled = find("solve").disabled = left === 0 || left === Infinity;
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
    listFluents();
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
  function listFluents() {
    const holds = space.holds(here());
    find("state").hidden = holds === null;
    if (holds === null) return;
    const before = new Set(now ? space.holds(path[now - 1].state) : holds), after = new Set(holds);
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
    if (space.distance(state) === undefined) say("Looking for a shortest way …");
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
    clearTimeout(timer);
    timer = 0;
    find("solve").textContent = "Solve";
    find("solve").setAttribute("aria-pressed", "false");
  }

  async function solve() {
    if (timer) { pause(); return; }
    const way = await wayFrom(here());
    if (!way?.length) return;
    find("solve").textContent = "Pause";
    find("solve").setAttribute("aria-pressed", "true");
    const next = () => {
      const move = way.shift();
      path = [...path.slice(0, now + 1), { name: move.name, state: move.to }];
      jump(path.length - 1);
      if (way.length) timer = setTimeout(next, 420);
      else pause();
    };
    timer = 1;
    next();
  }

  function celebrate() {
    find("won").classList.remove("pop");
    if (still.matches) return;
    void find("won").offsetWidth;
    find("won").classList.add("pop");
    for (let i = 0; i < 18; i++) {
      const spark = document.createElement("i");
      spark.className = `spark spark${i % 6}`;
      find("won").appendChild(spark);
      const angle = (i / 18) * 2 * Math.PI, far = 60 + 40 * (i % 3);
      spark.animate(
        [{ transform: "translate(0, 0)", opacity: 1 },
          { transform: `translate(${far * Math.cos(angle)}px, ${far * Math.sin(angle)}px)`, opacity: 0 }],
        { duration: 900, easing: "ease-out" },
      ).onfinish = () => spark.remove();
    }
  }

  const undo = () => { pause(); if (now) jump(now - 1); };
  const redo = () => { pause(); if (now < path.length - 1) jump(now + 1); };
  const restart = () => { pause(); if (now) jump(0); };
  const clicks = { undo, redo, restart, hint, solve, "dead-undo": undo };
  for (const [id, action] of Object.entries(clicks)) find(id).addEventListener("click", action);
  const KEYS = { u: undo, r: redo, h: hint, s: solve, Home: restart };
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
      board.arrow(key);
    } else if (KEYS[key]) {
      event.preventDefault();
      KEYS[key]();
    } else if (key === "Escape") board.select(null);
  });

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
  if (!space.things.length) {
    // Where nothing is drawn, what holds and what can happen are the game.
    find("frame").replaceChildren(find("state"), find("possible"));
    find("viewer").classList.add("undrawn");
  }
  // A thing that fills the picture is its ground.
  const fills = space.things.some((_, i) => {
    if (!first[i]) return false;
    const [, , width, height] = drawing.box(...first[i]);
    return width * height > 0.8 * scene.width * scene.height;
  });
  svg.classList.toggle("bare", fills);
  find("summary").textContent = data.about;
  best = space.distance(0);
  if (best === Infinity) best = null;
  jump(0);
  document.body.dataset.ready = "yes";
  if (best === undefined) {
    space.way(0).then((way) => { best = way ? way.length : null; }, () => {}).then(tell);
  }
})();
