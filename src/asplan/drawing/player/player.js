"use strict";
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const last = scene.actions.length;
  const find = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const ICONS = { play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");

  function create(tag, attributes, parent) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return parent.appendChild(element);
  }

  // The drawing: each object has two slots, for where one shape fades into another it shows both.

  const INSET = {
    rect: (n, d) => ({ x: n[0] + d, y: n[1] + d, width: n[2] - 2 * d, height: n[3] - 2 * d }),
    circle: (n, d) => ({ cx: n[0], cy: n[1], r: n[2] - d }),
    polygon: (n) => ({ points: n.join(" ") }),
  };

  function box(kind, n) {
    if (kind === "rect") return n;
    if (kind === "circle") return [n[0] - n[2], n[1] - n[2], 2 * n[2], 2 * n[2]];
    const xs = n.filter((_, i) => i % 2 === 0), ys = n.filter((_, i) => i % 2 === 1);
    const x = Math.min(...xs), y = Math.min(...ys);
    return [x, y, Math.max(...xs) - x, Math.max(...ys) - y];
  }

  class Slot {
    constructor(thing, parent) {
      this.thing = thing;
      this.group = create("g", {}, parent);
      this.kind = null;
    }

    show(pose) {
      this.group.setAttribute("visibility", pose ? "inherit" : "hidden");
      if (!pose) return;
      const [kind, numbers, opacity] = pose;
      if (kind !== this.kind) this.rebuild(kind);
      const look = this.thing.look;
      const inset = look.stroke === "none" ? 0 : look.strokeWidth / 2;
      this.group.setAttribute("opacity", opacity * look.opacity);
      for (const [name, value] of Object.entries(INSET[kind](numbers, inset))) {
        this.shape.setAttribute(name, value);
      }
      if (kind === "rect") this.shape.setAttribute("rx", Math.max(0, look.radius - inset));
      if (this.text) this.write(box(kind, numbers));
    }

    rebuild(kind) {
      const { look, label } = this.thing;
      this.kind = kind;
      this.group.replaceChildren();
      this.shape = create(kind, { fill: look.fill, stroke: look.stroke }, this.group);
      this.shape.setAttribute("stroke-width", look.strokeWidth);
      this.text = label ? create("text", { fill: look.text }, this.group) : null;
      if (this.text) {
        this.text.setAttribute("dominant-baseline", "central");
        this.text.textContent = label;
      }
    }

    write([x, y, width, height]) {
      const size = Math.min(height / 2, width / 2, (0.8 * width) / this.thing.ems);
      this.text.setAttribute("x", x + width / 2);
      this.text.setAttribute("y", y + height / 2);
      this.text.setAttribute("font-size", size);
    }
  }

  function expand(thing) {
    const steps = [];
    thing.track.forEach(([from, index], i) => {
      const until = i + 1 < thing.track.length ? thing.track[i + 1][0] : last + 1;
      for (let t = from; t < until; t++) steps.push(index === null ? null : thing.shapes[index]);
    });
    return steps;
  }

  const drawing = find("drawing");
  drawing.setAttribute("viewBox", `0 0 ${scene.width} ${scene.height}`);
  const objects = scene.objects.map((thing) => {
    const group = create("g", { "data-id": thing.name }, drawing);
    const slots = [new Slot(thing, group), new Slot(thing, group)];
    return { slots, steps: expand(thing), over: thing.look.over, shown: null };
  });

  const ease = (x) => x * x * (3 - 2 * x);

  function between(old, next, share) {
    const pose = (shape, opacity) => (shape && opacity > 0 ? [shape[0], shape[1], opacity] : null);
    if (share === 0 || old === next) return [pose(old, 1), null];
    if (old && next && old[0] === next[0] && old[1].length === next[1].length) {
      return [[old[0], old[1].map((n, i) => n + (next[1][i] - n) * share), 1], null];
    }
    return [pose(old, 1 - share), pose(next, share)];
  }

  // On its way over a height: steep at both ends, level in the middle.
  function lift(pose, share, over) {
    const [kind, numbers, opacity] = pose;
    const rise = (over - box(kind, numbers)[1]) * (1 - (2 * share - 1) ** 4);
    const moved = (i) => (kind === "polygon" ? i % 2 : i === 1);
    return [kind, numbers.map((n, i) => (moved(i) ? n + rise : n)), opacity];
  }

  function draw(position) {
    const step = Math.min(Math.floor(position), last), share = ease(position - step);
    for (const object of objects) {
      const old = object.steps[step], next = object.steps[Math.min(step + 1, last)];
      const moving = share > 0 && old !== next;
      if (!moving && object.shown === old && object.resting) continue;
      between(old, next, share).forEach((pose, i) => {
        const carried = pose && moving && object.over !== null;
        object.slots[i].show(carried ? lift(pose, share, object.over) : pose);
      });
      object.shown = old;
      object.resting = !moving;
    }
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

  // The player: `step` is where it is or is going, `position` what is drawn.

  let step = 0, position = 0, playing = false, frame = 0, timer = 0;

  function tell() {
    const action = step ? scene.actions[step - 1] : "";
    find("count").textContent = `Step ${step} of ${last}`;
    find("action").textContent = action;
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

  find("slider").max = last;
  find("slider").disabled = find("play").disabled = last === 0;
  find("summary").textContent = last === 1 ? "1 step" : `${last} steps`;
  sign();
  go(0);
})();
