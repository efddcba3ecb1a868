"use strict";

// Draws a scene into an SVG element: any of its steps, and what lies between two of them.
const makeDrawing = (scene, svg) => {
  const SVG = "http://www.w3.org/2000/svg";

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
      const until = i + 1 < thing.track.length ? thing.track[i + 1][0] : scene.last + 1;
      for (let t = from; t < until; t++) steps.push(index === null ? null : thing.shapes[index]);
    });
    return steps;
  }

  svg.setAttribute("viewBox", `0 0 ${scene.width} ${scene.height}`);
  const objects = [];

  // Adds a thing in front of those that are there, or behind the one at a place.
  function add(thing, before = null) {
    const group = create("g", { "data-id": thing.name }, svg);
    if (before !== null) svg.insertBefore(group, objects[before].group);
    const slots = [new Slot(thing, group), new Slot(thing, group)];
    const steps = thing.track ? expand(thing) : [];
    return objects.push({ group, slots, steps, over: thing.look.over, shown: null }) - 1;
  }

  scene.objects.forEach((thing) => add(thing));

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

  // Shows an object on its way from a shape to the next, lifted where it is carried.
  function pose(object, old, next, share, carries = true) {
    const moving = share > 0 && old !== next;
    if (!moving && object.shown === old && object.resting) return;
    between(old, next, share).forEach((pose, i) => {
      const carried = pose && moving && carries && object.over !== null;
      object.slots[i].show(carried ? lift(pose, share, object.over) : pose);
    });
    object.shown = old;
    object.resting = !moving;
  }

  // A share of 0 shows the one step, a share of 1 the other.
  function show(from, to, progress) {
    const share = ease(progress);
    for (const object of objects) pose(object, object.steps[from], object.steps[to], share);
  }

  // A thing that fills the picture is its ground, and needs no other one.
  function ground(shapes) {
    const fills = (shape) => shape && box(...shape)[2] * box(...shape)[3] > 0.8 * scene.width * scene.height;
    svg.classList.toggle("bare", shapes.some(fills));
  }

  // The letters of a timeline stay readable: it may be wider than its stage. Returns how to scroll the stage to a step.
  function widen(stage) {
    const now = objects[scene.objects.findIndex(({ name }) => name === "now")];
    if (!now) return () => {};
    svg.style.minWidth = `${0.65 * scene.width}px`;
    return (t) => {
      const [left, , width] = now.steps[t][1];
      const middle = ((left + width / 2) * svg.clientWidth) / scene.width;
      stage.scrollLeft = middle - stage.clientWidth / 2;
    };
  }

  return { add, box, create, ease, ground, objects, pose, show, widen };
};
