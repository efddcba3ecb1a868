"use strict";

// Draws a scene whose points have places in space, as a solid that can be turned.
const makeSolid = (scene, drawing, svg) => {
  const places = new Map(scene.fold.map(([x, y, ...place]) => [`${x},${y}`, place]));
  const radius = Math.max(...scene.fold.map(([, , ...place]) => Math.hypot(...place))) || 1;
  const scale = (0.47 * Math.min(scene.width, scene.height)) / radius;
  const angles = { across: 310, up: 20 };  // degrees
  const create = drawing.create;
  svg.setAttribute("viewBox", `0 0 ${scene.width} ${scene.height}`);

  // The points of a shape in space; null where one has no place there.
  function points([kind, n]) {
    const flat = kind === "polygon" ? n : n.slice(0, 2);
    if (kind === "rect") return null;
    const found = [];
    for (let i = 0; i < flat.length; i += 2) found.push(places.get(`${flat[i]},${flat[i + 1]}`));
    return found.every(Boolean) ? found : null;
  }

  const mix = (a, b, share) => a.map((p, i) => p.map((x, j) => x + (b[i][j] - x) * share));

  // What is seen of an object between two steps: kind, points in space, radius and opacity.
  function parts(old, next, share) {
    const [a, b] = [old, next].map((shape) => shape && points(shape));
    const part = (shape, at, opacity) => ({ kind: shape[0], at, radius: shape[1][2], opacity });
    if (a && (share === 0 || old === next)) return [part(old, a, 1)];
    if (a && b && old[0] === next[0] && a.length === b.length) return [part(old, mix(a, b, share), 1)];
    const seen = [];
    if (a && share < 1) seen.push(part(old, a, 1 - share));
    if (b && share > 0) seen.push(part(next, b, share));
    return seen;
  }

  function turned([x, y, z]) {
    const across = (angles.across * Math.PI) / 180, up = (angles.up * Math.PI) / 180;
    const a = x * Math.cos(across) + z * Math.sin(across), b = z * Math.cos(across) - x * Math.sin(across);
    return [a, y * Math.cos(up) - b * Math.sin(up), y * Math.sin(up) + b * Math.cos(up)];
  }

  const middle = (at) => [0, 1, 2].map((i) => at.reduce((sum, point) => sum + point[i], 0) / at.length);
  const close = (p, q) => Math.hypot(...p.map((x, i) => x - q[i])) < radius / 1000;

  // How much of a face is seen: 1 from the front, 0 from its edge.
  function frontal([p, q, r]) {
    const [a, b, c] = q.map((x, i) => x - p[i]), [d, e, f] = r.map((x, i) => x - p[i]);
    return Math.abs(a * e - b * d) / (Math.hypot(b * f - c * e, c * d - a * f, a * e - b * d) || 1);
  }

  const flat = ([x, y]) => [scene.width / 2 + scale * x, scene.height / 2 - scale * y];

  // The far parts come first, so that the near faces hide them. A disc in the middle of a face is the
  // smaller the less the face is seen; a disc at a corner lies on the nearest face there.
  function sorted(seen) {
    for (const one of seen) {
      one.at = one.at.map(turned);
      one.middle = middle(one.at);
      one.depth = one.middle[2];
    }
    const faces = seen.filter(({ kind }) => kind === "polygon");
    for (const one of seen.filter(({ kind }) => kind === "circle")) {
      const own = faces.find((face) => close(face.middle, one.at[0]));
      if (own) one.radius *= 1.3 * Math.sqrt(frontal(own.at));
      const near = faces.filter((face) => face.at.some((point) => close(point, one.at[0])));
      one.depth = Math.max(one.depth, ...near.map(({ depth }) => depth)) + radius / 1000;
    }
    return seen.sort((a, b) => a.depth - b.depth);
  }

  function draw({ kind, at, radius: size, opacity, thing }) {
    const { look, label, ems } = thing;
    const group = create("g", { opacity: opacity * look.opacity }, svg);
    const paint = { fill: look.fill, stroke: look.stroke, "stroke-width": look.strokeWidth, "stroke-linejoin": "round" };
    if (kind === "polygon") {
      create("polygon", { ...paint, points: at.map(flat).join(" ") }, group);
      return;
    }
    const [cx, cy] = flat(at[0]);
    create("circle", { ...paint, cx, cy, r: size }, group);
    if (!label) return;
    const text = create("text", { x: cx, y: cy, fill: look.text, "font-size": Math.min(size, (1.6 * size) / ems) }, group);
    text.setAttribute("dominant-baseline", "central");
    text.textContent = label;
  }

  let now = [0, 0, 0];

  function show(from, to, progress) {
    now = [from, to, progress];
    const seen = [];
    scene.objects.forEach((thing, i) => {
      const { steps } = drawing.objects[i];
      for (const part of parts(steps[from], steps[to], drawing.ease(progress))) seen.push({ ...part, thing });
    });
    svg.replaceChildren();
    sorted(seen).forEach(draw);
  }

  function turn(across, up) {
    angles.across = (angles.across + across + 360) % 360;
    angles.up = Math.max(-90, Math.min(90, angles.up + up));
    show(...now);
  }

  svg.addEventListener("pointerdown", (event) => svg.setPointerCapture(event.pointerId));
  svg.addEventListener("pointermove", (event) => {
    if (svg.hasPointerCapture(event.pointerId)) turn(event.movementX / 2, event.movementY / 2);
  });

  return { show, turn };
};
