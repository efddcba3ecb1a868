"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const count = data.x.length;
  const ICONS = { play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };
  const MOVE = 350, REST = 250;
  const MOST_SCALE = 4;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const goals = new Set(data.goals);

  // What a state looks like: drawn where there are rules for that, else written.

  const drawing = data.scene ? makeDrawing(data.scene, find("drawing")) : null;
  find("drawing").toggleAttribute("hidden", !drawing);
  find("text").hidden = Boolean(drawing);

  function look(from, to, share) {
    if (drawing) drawing.show(from, to, share);
    else find("text").textContent = data.texts[share < 1 ? from : to];
  }

  // The map. `scale` is in pixels a unit; the unit x, y lies at left + x * scale, top + y * scale.

  const map = find("map"), pen = map.getContext("2d");
  const view = { scale: 1, left: 0, top: 0 };
  const theme = { colours: data.colours };
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let xs = data.x, ys = data.y, width = 0, height = 0, asked = false, whole = true;

  function least(numbers) { return numbers.reduce((a, b) => Math.min(a, b)); }
  function most(numbers) { return numbers.reduce((a, b) => Math.max(a, b)); }
  const across = (state) => view.left + xs[state] * view.scale;
  const down = (state) => view.top + ys[state] * view.scale;

  // The colours are those of the style sheet; the states have theirs for a light and a dark page.
  function dress() {
    const style = getComputedStyle(map);
    for (const name of ["ink", "edge", "head", "accent", "dead"]) theme[name] = style.getPropertyValue(`--${name}`);
    theme.colours = dark.matches ? data.darkColours : data.colours;
    paintScale();
    repaint();
  }

  function measure() {
    const ratio = window.devicePixelRatio || 1;
    width = map.clientWidth;
    height = map.clientHeight;
    map.width = width * ratio;
    map.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    // The start is at the left end of the layout; on a high map it is at the top.
    [xs, ys] = height > width ? [data.y, data.x] : [data.x, data.y];
  }

  // All states; as long as nobody zooms or drags, also when the window changes.
  function fit() {
    whole = true;
    // The buttons stand at the right; on a high map they stand above.
    const margin = 24, room = 48, isHigh = height > width, above = isHigh ? room : 0;
    const wide = width - 2 * margin - (isHigh ? 0 : room), high = height - 2 * margin - above;
    const [left, right] = [least(xs), most(xs)], [top, bottom] = [least(ys), most(ys)];
    view.scale = Math.min(MOST_SCALE, wide / Math.max(40, right - left), high / Math.max(40, bottom - top));
    view.left = margin + wide / 2 - (view.scale * (left + right)) / 2;
    view.top = margin + above + high / 2 - (view.scale * (top + bottom)) / 2;
    repaint();
  }

  function zoom(factor, x = width / 2, y = height / 2) {
    const scale = Math.min(40, Math.max(0.01, view.scale * factor));
    view.left = x - ((x - view.left) * scale) / view.scale;
    view.top = y - ((y - view.top) * scale) / view.scale;
    view.scale = scale;
    whole = false;
    repaint();
  }

  function paintScale() {
    const scale = find("scale"), share = scale.width / theme.colours.length, ink = scale.getContext("2d");
    theme.colours.forEach((shade, i) => {
      ink.fillStyle = shade;
      ink.fillRect(i * share, 0, share + 1, scale.height);
    });
  }

  function repaint() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  }

  // The layout keeps room for a ring around each dot.
  const radius = () => Math.max(1, Math.min(16, data.dot * view.scale));

  function paint() {
    pen.clearRect(0, 0, width, height);
    const size = radius();
    paintLines(size);
    paintWay(size);
    for (const [number, states] of shades) {
      pen.fillStyle = number === null ? theme.dead : theme.colours[number];
      pen.beginPath();
      for (const state of states) disc(state, size);
      pen.fill();
    }
    pen.strokeStyle = theme.ink;
    pen.lineWidth = Math.max(0.5, size * 0.22);
    pen.beginPath();
    for (const state of goals) disc(state, size * 1.1);
    pen.stroke();
    star(0, Math.max(7, size * 1.2));
    ring(way[step], Math.max(8, size * 1.4), theme.accent, 3);
    if (over !== null) ring(over, Math.max(7, size * 1.35), theme.ink, 1.5);
  }

  const shades = new Map();
  for (let state = 0; state < count; state++) {
    const number = data.numbers[state];
    if (!shades.has(number)) shades.set(number, []);
    shades.get(number).push(state);
  }

  function disc(state, size) {
    const x = across(state), y = down(state);
    if (x < -size || y < -size || x > width + size || y > height + size) return;
    pen.moveTo(x + size, y);
    pen.arc(x, y, size, 0, 2 * Math.PI);
  }

  function ring(state, size, style, line) {
    pen.strokeStyle = style;
    pen.lineWidth = line;
    pen.beginPath();
    disc(state, size);
    pen.stroke();
  }

  function star(state, size) {
    const x = across(state), y = down(state);
    pen.beginPath();
    for (let i = 0; i < 10; i++) {
      const far = i % 2 ? size * 0.45 : size, angle = (Math.PI * i) / 5 - Math.PI / 2;
      pen.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
    }
    pen.closePath();
    pen.fillStyle = "#ffbb11";
    pen.fill();
    pen.strokeStyle = "#1d232b";
    pen.lineWidth = 1;
    pen.stroke();
  }

  function paintLines(size) {
    pen.strokeStyle = theme.edge;
    pen.lineWidth = Math.min(1.5, Math.max(0.25, view.scale * 2));
    pen.beginPath();
    for (const ends of [data.lines, data.arrows]) {
      for (let i = 0; i < ends.length; i += 2) {
        pen.moveTo(across(ends[i]), down(ends[i]));
        pen.lineTo(across(ends[i + 1]), down(ends[i + 1]));
      }
    }
    pen.stroke();
    // Heads say which moves cannot be taken back; far away they would only be noise.
    if (size < 3) return;
    pen.fillStyle = theme.head;
    pen.beginPath();
    for (let i = 0; i < data.arrows.length; i += 2) head(data.arrows[i], data.arrows[i + 1], size);
    pen.fill();
  }

  function head(from, to, size) {
    const x = across(to), y = down(to), angle = Math.atan2(y - down(from), x - across(from));
    const tip = [x - size * Math.cos(angle), y - size * Math.sin(angle)], long = 5 + size / 2;
    pen.moveTo(...tip);
    for (const side of [-0.4, 0.4]) {
      pen.lineTo(tip[0] - long * Math.cos(angle + side), tip[1] - long * Math.sin(angle + side));
    }
  }

  function paintWay(size) {
    pen.strokeStyle = theme.accent;
    pen.lineWidth = Math.max(2.5, size * 0.6);
    pen.lineJoin = "round";
    pen.beginPath();
    way.forEach((state, t) => (t ? pen.lineTo(across(state), down(state)) : pen.moveTo(across(state), down(state))));
    pen.stroke();
  }

  // A plan: the states on a shortest way from one to a goal, and where on it we are.

  let way = [0], step = 0, over = null, playing = false, timer = 0, frame = 0, shown = 0;

  function wayFrom(state) {
    const states = [state];
    while (data.nexts[states[states.length - 1]] !== null) states.push(data.nexts[states[states.length - 1]]);
    return states;
  }

  const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

  function describe(state) {
    const away = data.distances[state], depth = data.depths[state];
    const near = goals.has(state) ? "a goal" : away === null
      ? (data.goals.length ? "a dead end" : "no goal can be reached") : `${plural(away, "move")} to a goal`;
    return `State ${state}: ${near}, ${plural(depth, "move")} from the start`;
  }

  function tell(state) {
    find("status").textContent = describe(state);
    const last = way.length - 1;
    const action = step ? data.names[data.actions[way[step - 1]]] : "";
    find("action").textContent = over !== null && over !== way[step] ? "" : last ? `Step ${step} of ${last} ${action}` : "";
    find("slider").max = last;
    find("slider").value = step;
    find("slider").disabled = find("play").disabled = last === 0;
    find("back").disabled = step === 0;
    find("forward").disabled = step === last;
    find("icon").setAttribute("d", playing ? ICONS.pause : ICONS.play);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    // A screen reader cannot keep up with every step of a running plan.
    find("status").setAttribute("aria-live", playing ? "off" : "polite");
  }

  function show(state) {
    cancelAnimationFrame(frame);
    shown = state;
    look(state, state, 0);
    tell(state);
    repaint();
  }

  function go(to, done) {
    const from = way[step];
    step = Math.max(0, Math.min(way.length - 1, to));
    const target = way[step];
    cancelAnimationFrame(frame);
    if (shown !== from || still.matches || !done) {
      show(target);
      if (done) done();
      return;
    }
    tell(target);
    repaint();
    const began = performance.now();
    const move = (now) => {
      const share = Math.min(1, Math.max(0, now - began) / MOVE);
      if (share === 1) { show(target); done(); return; }
      look(from, target, share);
      frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
  }

  function play() {
    if (way.length < 2) return;
    if (step === way.length - 1) { step = 0; show(way[0]); }
    playing = true;
    const next = () => {
      if (!playing) return;
      if (step === way.length - 1) { pause(); return; }
      go(step + 1, () => { timer = setTimeout(next, REST); });
    };
    tell(way[step]);
    timer = setTimeout(next, REST);
  }

  function pause() {
    playing = false;
    clearTimeout(timer);
    over = null;
    show(way[step]);
  }

  function choose(state, playIt) {
    pause();
    way = wayFrom(state);
    step = 0;
    show(state);
    if (playIt) play();
  }

  // The pointer: it shows states, drags the map, and with two fingers zooms.

  const fingers = new Map();
  let moved = 0;

  function nearest(x, y) {
    let best = null, least = Math.max(14, radius() * 1.5) ** 2;
    for (let state = 0; state < count; state++) {
      const away = (across(state) - x) ** 2 + (down(state) - y) ** 2;
      if (away < least) { best = state; least = away; }
    }
    return best;
  }

  function place(event) {
    const box = map.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function hover(state) {
    if (state === over) return;
    over = state;
    map.classList.toggle("over", state !== null);
    if (!playing) show(state === null ? way[step] : state);
    else repaint();
  }

  map.addEventListener("pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
    moved = fingers.size > 1 ? Infinity : 0;
  });

  map.addEventListener("pointermove", (event) => {
    const [x, y] = place(event), before = fingers.get(event.pointerId);
    if (!before) { hover(nearest(x, y)); return; }
    const others = [...fingers].filter(([id]) => id !== event.pointerId);
    if (others.length) {
      const [ox, oy] = others[0][1], old = Math.hypot(before[0] - ox, before[1] - oy);
      if (old > 0) zoom(Math.hypot(x - ox, y - oy) / old, ox, oy);
    } else {
      moved += Math.hypot(x - before[0], y - before[1]);
      if (moved > 4) {
        map.classList.add("dragging");
        whole = false;
        view.left += x - before[0];
        view.top += y - before[1];
        repaint();
      }
    }
    fingers.set(event.pointerId, [x, y]);
  });

  function lift(event) {
    fingers.delete(event.pointerId);
    map.classList.remove("dragging");
  }

  map.addEventListener("pointerup", (event) => {
    lift(event);
    const state = moved <= 4 ? nearest(...place(event)) : null;
    if (state !== null) choose(state, true);
  });
  map.addEventListener("pointercancel", lift);
  map.addEventListener("pointerleave", () => hover(null));
  map.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * 0.0015), ...place(event));
  }, { passive: false });

  find("in").addEventListener("click", () => zoom(1.4));
  find("out").addEventListener("click", () => zoom(1 / 1.4));
  find("fit").addEventListener("click", fit);

  const toggle = () => (playing ? pause() : play());
  const jump = (to) => { pause(); go(to); };

  find("play").addEventListener("click", toggle);
  find("back").addEventListener("click", () => jump(step - 1));
  find("forward").addEventListener("click", () => jump(step + 1));
  find("start").addEventListener("click", () => choose(0, true));
  find("slider").addEventListener("input", (event) => jump(Number(event.target.value)));

  const KEYS = {
    ArrowLeft: () => jump(step - 1), ArrowRight: () => jump(step + 1), Home: () => choose(0, false),
    End: () => jump(way.length - 1), " ": toggle, "+": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: fit,
  };
  document.addEventListener("keydown", (event) => {
    const tag = event.target.tagName;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if ((tag === "INPUT" || tag === "BUTTON") && event.key === " ") return;
    if (tag === "INPUT" && event.key.startsWith("Arrow")) return;
    if (!KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // The words around the map.

  const dead = data.distances.filter((away) => away === null).length;
  find("summary").textContent = [
    plural(count, "state"), plural(data.goals.length, "goal state"),
    ...(data.goals.length && dead ? [plural(dead, "dead end")] : []),
  ].join(", ");
  find("dead").hidden = !data.goals.length || !dead;
  find("far").textContent = data.colours.length - 1;
  find("what").textContent = data.what;
  way = wayFrom(0);
  dress();
  dark.addEventListener("change", dress);
  new ResizeObserver(() => {
    measure();
    if (whole) fit();
    else repaint();
  }).observe(map);
  show(0);
})();
