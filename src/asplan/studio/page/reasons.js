// Lets people ask why what holds at a step does: each atom of #state becomes a button, and the answer stands below.

import { linked } from "./source.js";
import { makeWhy } from "./why.js";

const state = document.getElementById("state");
let why = null;

if (state) {
  const panel = document.createElement("section"), acts = document.createElement("p");
  panel.id = "reasons";
  panel.hidden = true;
  state.after(panel);
  acts.className = "acts";
  state.querySelector("ul").before(acts);

  const dress = () => {
    const step = Number(state.dataset.step);
    const names = why ? why.actions(step) : [];
    if (acts.dataset.of !== names.join()) {
      acts.dataset.of = names.join();
      acts.replaceChildren();
      for (const name of names) why.ask(acts, name, name, () => {});
    }
    for (const item of why ? state.querySelectorAll("li[data-atom]") : []) {
      const name = item.querySelector(".ask") ? null : why.fluent(item.dataset.atom, step);
      if (!name) continue;
      const mark = item.querySelector("ins, del") || item;
      mark.replaceChildren();
      why.ask(mark, item.dataset.atom, name, () => {});
    }
  };

  new MutationObserver(dress).observe(state, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-step"] });
  document.addEventListener("reasons", ({ detail }) => {
    why = detail && detail.why ? makeWhy(detail.why, panel, linked) : null;
    panel.hidden = true;
    dress();
  });
}
