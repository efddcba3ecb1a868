"use strict";
(() => {
  const { scenes, common, move, rest } = JSON.parse(document.getElementById("scene").textContent);
  const last = Math.max(...scenes.map((scene) => scene.last));
  const find = (id) => document.getElementById(id);
  const ICONS = { play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const byName = new Intl.Collator("en", { numeric: true });
  const steps = (number) => (number === 1 ? "1 step" : `${number} steps`);

  function add(parent, tag, text, kind) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  // What holds at a step: of a plan that has ended, what holds at its end.
  const at = (scene, t) => Math.min(t, scene.last);
  const holds = (scene, t) => new Set(scene.fluents.filter(([, changes]) =>
    changes.filter((one) => one <= at(scene, t)).length % 2 === 1).map(([fluent]) => fluent));
  const action = (scene, t) => (t && t <= scene.last ? scene.actions[t - 1] || "–" : "");
  const [one, two] = scenes;
  const less = (a, b) => [...a].filter((fluent) => !b.has(fluent)).sort(byName.compare);

  const differing = [];
  for (let t = 0; t <= last; t++) {
    const [a, b] = scenes.map((scene) => holds(scene, t));
    differing.push({
      action: t > 0 && action(one, t) !== action(two, t),
      state: common && (less(a, b).length > 0 || less(b, a).length > 0),
    });
  }
  const differs = (t) => differing[t].action || differing[t].state;

  // Objects of one name that are not drawn alike are outlined, where both have the same canvas.
  const shapesOf = (scene) => new Map(scene.objects.map((thing) => [thing.name, (t) => {
    const [, index] = thing.track.filter(([from]) => from <= t).pop() || [0, null];
    return index === null ? "" : JSON.stringify(thing.shapes[index]);
  }]));
  const shapes = scenes.map(shapesOf);
  const alike = common && one.width === two.width && one.height === two.height;

  function odd(side, t) {
    if (!alike) return [];
    const other = shapes[1 - side];
    return scenes[side].objects.map((thing) => thing.name).filter((name) => {
      const there = other.get(name), mine = shapes[side].get(name)(at(scenes[side], t));
      return mine && (!there || there(at(scenes[1 - side], t)) !== mine);
    });
  }

  const sides = scenes.map((scene, side) => {
    const box = find(side ? "right" : "left");
    add(box, "h2", scene.name);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const stage = add(box, "div", undefined, "stage");
    stage.appendChild(svg).classList.add("drawing");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", scene.name);
    svg.style.setProperty("--ratio", scene.width / scene.height);
    const drawing = makeDrawing(scene, svg);
    drawing.ground(drawing.objects.map(({ steps }) => steps[0]));
    const follow = drawing.widen(stage);
    const marks = document.createElementNS("http://www.w3.org/2000/svg", "g");
    svg.appendChild(marks).classList.add("marks");
    const status = add(box, "p", "", "status"), list = add(box, "ul", undefined, "fluents");
    const panel = add(box, "div", undefined, "why");
    panel.hidden = true;
    find(side ? "name-right" : "name-left").textContent = `${scene.name} (${steps(scene.last)})`;
    return { scene, svg, follow, drawing, marks, status, list, why: scene.why ? makeWhy(scene.why, panel) : null };
  });

  function outline(side, t) {
    const { svg, marks, scene } = sides[side];
    const width = Math.max(scene.width, scene.height) / 90;
    marks.replaceChildren();
    for (const name of odd(side, t)) {
      const group = svg.querySelector(`[data-id="${CSS.escape(name)}"]`);
      const frame = group && group.getBBox();
      if (!frame || !frame.width) continue;
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const key of ["x", "y", "width", "height"]) rect.setAttribute(key, frame[key]);
      rect.setAttribute("stroke-width", width);
      rect.setAttribute("rx", width);
      marks.appendChild(rect);
    }
  }

  const rows = Array.from({ length: last + 1 }, (_, t) => {
    const row = add(find("rows"), "tr");
    const button = add(add(row, "th"), "button", t);
    button.addEventListener("click", () => { pause(); go(t); });
    scenes.forEach((scene) => {
      const text = t ? (t > scene.last ? "" : action(scene, t)) : "start";
      add(row, "td", text, differing[t].action ? "differs" : "");
    });
    if (differing[t].state) row.classList.add("differs");
    return row;
  });

  let step = 0, position = 0, playing = false, frame = 0, timer = 0;

  function tell() {
    find("slider").value = step;
    find("back").disabled = step === 0;
    find("forward").disabled = step === last;
    find("difference").disabled = !differing.some((_, t) => t > step && differs(t));
    const here = differs(step) ? (differing[step].state ? "the states differ" : "the actions differ") : "no difference";
    find("status").textContent = `Step ${step} of ${last}${common ? ": " + here : ""}`;
    rows.forEach((row, t) => (t === step ? row.setAttribute("aria-current", "step") : row.removeAttribute("aria-current")));
    const row = rows[step], box = row.closest(".scroll");
    if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
    const states = scenes.map((scene) => holds(scene, step));
    sides.forEach(({ scene, follow, status, list, why }, side) => {
      follow(at(scene, step));
      const ended = step > scene.last ? `ended after ${steps(scene.last)}` : "";
      status.className = `status${differing[step].action ? " differs" : ""}`;
      status.textContent = ended || action(scene, step) || "start";
      list.replaceChildren();
      const mine = states[side], others = states[1 - side];
      for (const fluent of [...mine].sort(byName.compare)) {
        const mark = add(add(list, "li"), common && !others.has(fluent) ? "ins" : "span");
        const name = why && why.fluent(fluent, at(scene, step));
        if (name) why.ask(mark, fluent, name, pause); else mark.textContent = fluent;
      }
      for (const fluent of common ? less(others, mine) : []) {
        const mark = add(add(list, "li"), "del");
        const name = why && why.fluent(fluent, at(scene, step));
        if (name) why.ask(mark, fluent, name, pause); else mark.textContent = fluent;
      }
    });
  }

  function draw(where) {
    for (const { scene, drawing } of sides) {
      const from = Math.min(Math.floor(where), scene.last), to = Math.min(from + 1, scene.last);
      drawing.show(from, to, where >= scene.last ? 0 : where - from);
    }
  }

  function go(to, done) {
    const from = position, start = performance.now();
    cancelAnimationFrame(frame);
    step = Math.max(0, Math.min(last, to));
    sides.forEach(({ marks }) => marks.replaceChildren());
    tell();
    const near = Math.abs(step - from) < 2 && !still.matches;
    const next = (now) => {
      const share = near ? Math.min(1, Math.max(0, now - start) / move) : 1;
      position = share === 1 ? step : from + (step - from) * share;
      draw(position);
      if (share < 1) { frame = requestAnimationFrame(next); return; }
      sides.forEach((_, side) => outline(side, step));
      if (done) done();
    };
    next(start);
  }

  function sign() {
    find("icon").setAttribute("d", playing ? ICONS.pause : ICONS.play);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    find("status").setAttribute("aria-live", playing ? "off" : "polite");
  }

  function pause() { playing = false; clearTimeout(timer); sign(); }

  function play() {
    playing = true;
    sign();
    const next = () => {
      if (!playing) return;
      if (step === last) { pause(); return; }
      go(step + 1, () => { timer = setTimeout(next, rest); });
    };
    if (step === last) go(0);
    timer = setTimeout(next, rest);
  }

  const toggle = () => (playing ? pause() : play());
  const jump = (to) => { pause(); go(to); };
  const onward = () => { const t = differing.findIndex((_, n) => n > step && differs(n)); if (t > 0) jump(t); };
  find("play").addEventListener("click", toggle);
  find("back").addEventListener("click", () => jump(step - 1));
  find("forward").addEventListener("click", () => jump(step + 1));
  find("difference").addEventListener("click", onward);
  find("slider").addEventListener("input", (event) => jump(Number(event.target.value)));
  const KEYS = {
    ArrowLeft: () => jump(step - 1), ArrowRight: () => jump(step + 1),
    Home: () => jump(0), End: () => jump(last), " ": toggle, d: onward,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
    if (event.target.tagName === "INPUT" && event.key !== " " && event.key !== "d") return;
    if (event.target.tagName === "BUTTON" && event.key === " ") return;
    event.preventDefault();
    KEYS[event.key]();
  });

  const first = differing.findIndex((_, t) => differs(t));
  const many = differing.filter((one) => one.state).length;
  const told = [`${steps(one.last)} and ${steps(two.last)}`];
  if (first < 0) told.push("the same actions and states throughout");
  else told.push(`they differ first at step ${first}`);
  if (common && many) told.push(`${many} of ${last + 1} states differ`);
  if (!common) told.push("no fluent is known of both, so states are not compared");
  find("summary").textContent = told.join("; ");
  find("slider").max = last;
  find("slider").disabled = find("play").disabled = last === 0;
  document.querySelector("main").classList.toggle("wide", scenes.some((scene) => scene.width > 1.4 * scene.height));
  sign();
  go(0);
})();
