"use strict";

// The picture of a state, whose things are dragged: a drag that does what actions do is them.
//
// `choose(moves)` is called with the actions that a person has done, one after the other.
const makeBoard = (svg, drawing, getSpace, choose, preview) => {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const centre = ([kind, numbers]) => {
    const [x, y, width, height] = drawing.box(kind, numbers);
    return [x + width / 2, y + height / 2];
  };
  const same = (a, b) => a === b || (a && b && a[0] === b[0] && String(a[1]) === String(b[1]));
  const far = ([a, b], [c, d]) => Math.hypot(a - c, b - d);
  const classes = [], MOST_GHOSTS = 8;
  let state = null, shown = new Set(), frame = 0, drag = null, chosen = null, moved = null;

  // What changes between two states. Where one thing is gone and another one is there that looks
  // like it, as box(3,4) and box(3,5) do, it has moved.
  const known = new Map();
  function changes(from, to) {
    const key = `${from}>${to}`;
    if (known.has(key)) return known.get(key);
    const space = getSpace(), old = space.picture(from), next = space.picture(to);
    const found = [], gone = [], fresh = [];
    space.things.forEach((thing, i) => {
      classes[i] ??= JSON.stringify([thing.label, thing.look]);
      if (same(old[i], next[i])) return;
      if (old[i] && next[i]) found.push({ from: i, to: i, old: old[i], next: next[i] });
      else (old[i] ? gone : fresh).push(i);
    });
    const pairs = gone.flatMap((i) => fresh.filter((j) => classes[i] === classes[j]).map((j) => [i, j]));
    const apart = ([i, j]) => far(centre(old[i]), centre(next[j]));
    for (const [i, j] of pairs.sort((a, b) => apart(a) - apart(b))) {
      if (!gone.includes(i) || !fresh.includes(j)) continue;
      found.push({ from: i, to: j, old: old[i], next: next[j] });
      gone.splice(gone.indexOf(i), 1);
      fresh.splice(fresh.indexOf(j), 1);
    }
    gone.forEach((i) => found.push({ from: i, to: null, old: old[i], next: null }));
    fresh.forEach((i) => found.push({ from: null, to: i, old: null, next: next[i] }));
    known.set(key, found);
    return found;
  }

  // Shows what lies between two states; `held` is a thing that is where the pointer is.
  function show(from, to, share, held = null) {
    const picture = getSpace().picture(from), now = new Set();
    const put = (i, old, next, at, carries) => {
      now.add(i);
      drawing.pose(drawing.objects[i], old, next, at, carries);
    };
    for (const change of from === to ? [] : changes(from, to)) {
      if (change.from !== null && change.from !== change.to) {
        put(change.from, change.to === null ? change.old : null, null, change.to === null ? share : 0);
      }
      if (change.to !== null) put(change.to, change.old, change.next, share, !drag);
    }
    if (held) put(held.thing, held.shape, held.shape, 0);
    for (const i of drawing.objects.keys()) {
      if (!now.has(i)) drawing.pose(drawing.objects[i], picture[i] ?? null, picture[i] ?? null, 0);
    }
  }

  function animate(from, to, share) {
    cancelAnimationFrame(frame);
    const start = performance.now(), lasts = still.matches ? 0 : from === to ? 1 : 190;
    const step = (now) => {
      const part = lasts ? Math.min(1, Math.max(0, now - start) / lasts) : 1;
      if (part < 1) {
        show(from, to, share + (1 - share) * drawing.ease(part));
        frame = requestAnimationFrame(step);
      } else show(to, to, 0);
    };
    step(start);
  }

  // The actions by which a thing moves, each with how it does.
  const movesOf = (thing, at = state) => (getSpace().moves(at) ?? []).flatMap((move) => {
    const change = changes(at, move.to).find((c) => c.from === thing && c.to !== null);
    return change ? [{ move, change, by: vector(change) }] : [];
  });
  function vector({ old, next }) {
    const [a, b] = centre(old), [c, d] = centre(next);
    return [c - a, d - b];
  }
  const movable = () => {
    const found = new Set();
    for (const { to } of getSpace().moves(state) ?? []) {
      for (const c of changes(state, to)) if (c.from !== null && c.to !== null) found.add(c.from);
    }
    return found;
  };

  // Things that can move are reached by the keyboard, and say so.
  function offer() {
    const can = movable();
    drawing.objects.forEach(({ group }, i) => {
      group.classList.toggle("movable", can.has(i));
      for (const name of ["tabindex", "role", "aria-label"]) group.removeAttribute(name);
      if (!can.has(i)) return;
      const thing = getSpace().things[i], names = movesOf(i).map(({ move }) => move.name);
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", `${thing.label || thing.name}: ${names.join(", ")}`);
    });
  }

  // Ghosts: where a thing may go, or where the hint wants it.
  const ghosts = drawing.create("g", { id: "ghosts" }, svg);
  function haunt(marks) {
    svg.appendChild(ghosts);
    ghosts.replaceChildren();
    for (const { shape: [kind, n], move, name } of marks) {
      const attributes = kind === "rect" ? { x: n[0], y: n[1], width: n[2], height: n[3], rx: n[3] / 5 }
        : kind === "circle" ? { cx: n[0], cy: n[1], r: n[2] } : { points: n.join(" ") };
      const ghost = drawing.create(kind, { ...attributes, class: name }, ghosts);
      if (move) ghost.addEventListener("click", () => choose([move]));
    }
  }
  function select(thing) {
    chosen = thing;
    const marks = thing === null ? [] : movesOf(thing);
    haunt(marks.map(({ move, change }) => ({ shape: change.next, move, name: "target" })));
  }

  // Dragging. The thing goes along its moves, from state to state, as near to the pointer as they
  // let it: `at` is the last state that it has reached, `edge` where it is on the way to the next.

  const point = (event) => {
    const matrix = svg.getScreenCTM().inverse();
    return [matrix.a * event.clientX + matrix.e, matrix.d * event.clientY + matrix.f];
  };
  const group = (found) => found.map((c) => c.from).sort().join();
  const thingAt = (target) => {
    const element = target.closest?.("[data-id]");
    return element ? drawing.objects.findIndex(({ group }) => group === element) : -1;
  };

  svg.addEventListener("pointerdown", (event) => {
    if (event.button || drag || ghosts.contains(event.target)) return;
    const thing = thingAt(event.target);
    if (thing < 0 || !movable().has(thing)) { select(null); return; }
    event.preventDefault();
    cancelAnimationFrame(frame);
    show(state, state, 0);
    const shape = getSpace().picture(state)[thing];
    drag = {
      thing, id: event.pointerId, grip: point(event), origin: centre(shape), shape, at: state, path: [],
      last: null, edge: null, is: "press", free: getSpace().things[thing].look.over !== null,
    };
    svg.setPointerCapture(event.pointerId);
    drawing.objects[thing].group.focus({ preventScroll: true });
    drawing.objects[thing].group.classList.add("held");
  });

  // One step along the moves of a thing which brings it nearest to a place.
  function nearest(thing, at, place, last) {
    const here = centre(getSpace().picture(at)[thing]);
    let best = null, least = far(here, place) - 1e-6;
    for (const { move, change, by } of movesOf(thing, at)) {
      const alone = group(changes(at, move.to));
      if (at !== state && alone !== String(thing) && alone !== last) continue;
      const length = by[0] ** 2 + by[1] ** 2;
      if (length < 1) continue;
      const along = ((place[0] - here[0]) * by[0] + (place[1] - here[1]) * by[1]) / length;
      const share = Math.min(1, Math.max(0, along));
      const off = far(place, [here[0] + share * by[0], here[1] + share * by[1]]);
      if (share > 0 && (off < least - 1e-6 || (best && off < least + 1e-6 && length < best.length))) {
        least = off;
        best = { move, change, share, length, group: alone };
      }
    }
    return best;
  }

  // A thing that is carried goes where the pointer goes, and comes down where it may.
  function carry(place) {
    const moved = drag.shape[1].map((n, i) => {
      const side = drag.shape[0] === "polygon" ? i % 2 : i;
      return side < 2 ? n + place[side] - drag.origin[side] : n;
    });
    drag.edge = null;
    let least = far(drag.origin, place);
    for (const { move, change } of movesOf(drag.thing)) {
      const off = Math.abs(centre(change.next)[0] - place[0]);
      if (off < Math.min(least, Math.abs(drag.origin[0] - place[0]))) {
        least = off;
        drag.edge = { move, change, share: 1 };
      }
    }
    show(state, state, 0, { thing: drag.thing, shape: [drag.shape[0], moved] });
    haunt(drag.edge ? [{ shape: drag.edge.change.next, name: "target" }] : []);
  }

  svg.addEventListener("pointermove", (event) => {
    if (drag?.id !== event.pointerId) return;
    const [x, y] = point(event);
    const place = [drag.origin[0] + x - drag.grip[0], drag.origin[1] + y - drag.grip[1]];
    if (drag.is === "press" && far(place, drag.origin) * svg.getScreenCTM().a < 4) return;
    if (drag.is === "press") { drag.is = "drag"; select(null); }
    if (drag.free) { carry(place); return; }
    for (let hops = 0; hops < 99; hops++) {
      drag.edge = nearest(drag.thing, drag.at, place, drag.last);
      if (!drag.edge || drag.edge.share < 1) break;
      reach();
      if (!getSpace().moves(drag.at)) { getSpace().load(drag.at); break; }
    }
    if (drag.edge) show(drag.at, drag.edge.move.to, drag.edge.share);
    else show(drag.at, drag.at, 0);
    preview(drag.path.length);
  });

  // Takes the edge. A way that leads to where it has been is cut short there.
  function reach() {
    const { move, change, group } = drag.edge;
    const before = [state, ...drag.path.map(({ to }) => to)].indexOf(move.to);
    if (before < 0) drag.path.push(move);
    else drag.path.length = before;
    const direct = (getSpace().moves(state) ?? []).find(({ to }) => to === move.to);
    if (direct && drag.path.length > 1) drag.path = [direct];
    drag.at = move.to;
    drag.thing = change.to;
    drag.last = group;
    drag.edge = null;
  }

  function release(event) {
    if (drag?.id !== event.pointerId) return;
    const ended = drag, { at, edge } = drag;
    drawing.objects.forEach(({ group }) => group.classList.remove("held"));
    if (ended.is === "press" || event.type === "pointercancel") {
      drag = null;
      show(state, state, 0);
      if (event.type === "pointercancel") return;
      const moves = movesOf(ended.thing);
      if (moves.length === 1) choose([moves[0].move]);
      else select(chosen === ended.thing ? null : ended.thing);
      return;
    }
    const near = edge && edge.share >= 0.5, path = ended.path;
    if (near) reach();
    const taken = near ? drag.path : path, share = edge ? edge.share : 1;
    drag = null;
    haunt([]);
    if (taken.length) {
      const [from, to] = near ? [at, edge.move.to] : [edge ? edge.move.to : at, at];
      choose(taken, { from, to, share: near ? share : 1 - share });
    } else {
      // Back to where it was.
      preview(0);
      if (near) show(state, state, 0);
      else if (edge) animate(edge.move.to, state, 1 - share);
      else animate(state, state, 0);
    }
  }
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);

  // An arrow moves the thing that has the focus, or the only one that can go that way.
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function arrow(key) {
    const [x, y] = ARROWS[key], focused = thingAt(document.activeElement);
    const things = focused >= 0 ? [focused] : [...movable()];
    const fits = things.flatMap((thing) => movesOf(thing)).filter(({ by }) =>
      (by[0] * x + by[1] * y) / Math.hypot(...by) > 0.7);
    const moves = new Map(fits.map((found) => [found.move.to, found]));
    const found = [...moves.values()].sort((a, b) => Math.hypot(...a.by) - Math.hypot(...b.by));
    if (!found.length || (focused < 0 && found.length > 1)) return;
    const next = found[0].change.to;
    choose([found[0].move]);
    if (focused >= 0) drawing.objects[next].group.focus({ preventScroll: true });
  }

  return {
    arrow, offer, select,
    // Where on the page the thing is that moved last.
    lastPlace: () => (moved === null ? null : drawing.objects[moved].group.getBoundingClientRect()),
    isBusy: () => drag !== null,
    // Shows another state, on the way from `begun` where a drag has left it.
    go(to, begun) {
      if (drag) {
        drawing.objects[drag.thing].group.classList.remove("held");
        drag = null;
      }
      select(null);
      const from = state;
      state = to;
      if (from !== null && from !== to) moved = changes(from, to).find((c) => c.to !== null)?.to ?? null;
      if (from === null) show(to, to, 0);
      else animate(begun?.from ?? from, begun?.to ?? to, begun?.share ?? 0);
    },
    hint(move) {
      const found = changes(state, move.to).filter((c) => c.next);
      // Of many things that change at once ghosts would tell nothing.
      haunt((found.length > MOST_GHOSTS ? [] : found).map(({ next }) => ({ shape: next, move, name: "hinted" })));
    },
  };
};
