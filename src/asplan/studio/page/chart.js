// Draws the seconds of each horizon as bars: grounding below, solving on top of it.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 220, LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 40;

function create(parent, tag, attributes, text) {
  const element = parent.appendChild(document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// The least of 1, 2, 5, 10, … times a power of ten that makes at most so many parts.
export function tick(most, parts) {
  const least = most / parts, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.999999);
}

// steps: a list of [horizon, seconds of grounding, seconds of solving]
export function drawChart(place, steps) {
  place.replaceChildren();
  if (!steps.length) return;
  const width = Math.max(240, place.clientWidth), inner = width - LEFT - RIGHT;
  const first = Math.min(...steps.map((s) => s[0])), last = Math.max(...steps.map((s) => s[0]));
  const most = Math.max(1e-4, ...steps.map((s) => s[1] + s[2]));
  const slot = inner / (last - first + 1), floor = HEIGHT - BOTTOM;
  const x = (horizon) => LEFT + (horizon - first) * slot;
  const y = (seconds) => floor - (seconds / most) * (floor - TOP);
  const svg = create(place, "svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img" });
  const total = steps.reduce((sum, s) => sum + s[1] + s[2], 0);
  svg.setAttribute("aria-label", `Seconds for each horizon from ${first} to ${last}, ${total.toFixed(2)} in all; the most for one is ${most.toFixed(3)}.`);

  const step = tick(most, 4), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let n = 0; n * step <= most * 1.0001; n++) {
    create(svg, "line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(n * step), y2: y(n * step) });
    create(svg, "text", { x: LEFT - 6, y: y(n * step) + 4, "text-anchor": "end" }, (n * step).toFixed(digits));
  }
  for (const [horizon, ground, solve] of steps) {
    const bar = create(svg, "g", {});
    create(bar, "title", {}, `horizon ${horizon}: grounding ${ground.toFixed(3)} s, solving ${solve.toFixed(3)} s`);
    const at = { x: x(horizon) + slot * 0.1, width: Math.max(0.5, slot * 0.8) };
    create(bar, "rect", { ...at, class: "ground", y: y(ground), height: floor - y(ground) });
    create(bar, "rect", { ...at, class: "solve", y: y(ground + solve), height: y(ground) - y(ground + solve) });
  }
  create(svg, "line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: floor, y2: floor });
  const apart = Math.max(1, tick(last - first + 1, inner / 40));
  for (let horizon = Math.ceil(first / apart) * apart; horizon <= last; horizon += apart) {
    create(svg, "text", { x: x(horizon) + slot / 2, y: floor + 16, "text-anchor": "middle" }, horizon);
  }
  create(svg, "text", { x: LEFT + inner / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "horizon");
  const middle = (TOP + floor) / 2;
  create(svg, "text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, "seconds");
}
