// Lets people ask why something holds or happens: the actions and atoms of #steps and the atoms of #state become buttons, and the answer stands below.

import { linked } from "./source.js";
import { makeWhy } from "./why.js";

const state = document.getElementById("state"), steps = document.querySelector("#steps tbody");
const panel = document.createElement("section"), acts = document.createElement("p");
let why = null;

panel.id = "reasons";
panel.hidden = true;
state.after(panel);
acts.className = "acts";
state.querySelector("ul").before(acts);

function dressActs() {
  const names = why ? why.actions(Number(state.dataset.step)) : [];
  if (acts.dataset.of === names.join()) return;
  acts.dataset.of = names.join();
  acts.replaceChildren();
  for (const name of names) why.ask(acts, name, name, () => {});
}

// The text of an element becomes a button, if it is known why the atom holds or does not.
function dressAtom(element, step) {
  const name = element.querySelector(".ask") ? null : why.fluent(element.dataset.atom, step);
  if (!name) return;
  const mark = element.querySelector("ins, del") || element;
  mark.replaceChildren();
  why.ask(mark, element.dataset.atom, name, () => {});
}

function dressRow(row) {
  const step = Number(row.dataset.step), names = why.actions(step), cell = row.cells[1];
  for (const atom of row.querySelectorAll("[data-atom]")) dressAtom(atom, step);
  if (!names.length || cell.querySelector(".ask")) return;
  const label = cell.textContent;
  cell.replaceChildren();
  names.forEach((name, i) => {
    if (i) cell.append(", ");
    why.ask(cell, names.length > 1 ? name : label, name, () => {});
  });
}

function dress() {
  dressActs();
  if (!why) return;
  for (const item of state.querySelectorAll("li")) dressAtom(item, Number(state.dataset.step));
  for (const row of steps.rows) dressRow(row);
}

const observer = new MutationObserver(dress);
observer.observe(state, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-step"] });
observer.observe(steps, { childList: true });
document.addEventListener("reasons", ({ detail }) => {
  why = detail && detail.why ? makeWhy(detail.why, panel, linked) : null;
  panel.hidden = true;
  dress();
});
