// Says why an atom holds: a tree of rule instances, unfolded by clicks; and which rule is nearest
// for one that does not. `placed` shows the place of a rule, if not as plain text.
const makeWhy = (why, panel, placed) => {
  const byName = new Map(why.true.map(([name], number) => [name, number]));
  const KINDS = { fact: "is a fact", demanded: "is required by the plan", chosen: "was chosen" };

  function add(parent, tag, text, kind) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  function cite(parent, number, values) {
    if (number < 0) return;
    const [place, text] = why.rules[number];
    const line = add(parent, "div", undefined, "rule");
    if (placed) line.append(placed(place));
    else add(line, "span", place, "place");
    add(line, "code", text);
    if (values) add(line, "span", `with ${values}`, "values");
  }

  // An atom that holds; what is behind it is made when it is unfolded.
  function holds(parent, number, open) {
    const [name, kind, rule, values, body, absent, counts] = why.true[number];
    const item = add(parent, "li");
    const inner = kind === "derived" || kind === "chosen";
    const box = add(item, inner ? "details" : "div");
    const head = add(box, inner ? "summary" : "div");
    add(head, "b", name);
    if (KINDS[kind]) add(head, "span", ` ${KINDS[kind]}`, "kind");
    if (!inner) { cite(box, rule, values); return; }
    const fill = () => {
      cite(box, rule, values);
      for (const text of counts) add(box, "div", text, "rule");
      if (!body.length && !absent.length) return;
      const list = add(box, "ul");
      body.forEach((other) => holds(list, other, false));
      absent.forEach((other) => fails(list, other));
    };
    let filled = false;
    box.addEventListener("toggle", () => { if (box.open && !filled) { filled = true; fill(); } });
    box.open = open;
  }

  function fails(parent, name) {
    const item = add(parent, "li", undefined, "not");
    for (const [atom, rule, values, said] of why.false[name] || []) {
      const head = add(item, "div");
      add(head, "b", atom);
      add(head, "span", ` does not hold: ${said}`, "kind");
      cite(item, rule, values);
    }
    if (!item.firstChild) { add(item, "b", name); add(item, "span", " does not hold", "kind"); }
  }

  function explain(name) {
    panel.replaceChildren();
    panel.hidden = false;
    const number = byName.get(name);
    add(panel, "h2", number === undefined ? `Why not ${name}?` : `Why ${name}?`);
    const list = add(panel, "ul");
    if (number === undefined) fails(list, name);
    else holds(list, number, true);
    if (why.encoding) add(panel, "p", `By the rules of ${why.encoding}: the encoding of the plan searches while it is grounded.`);
    if (why.left_out) add(panel, "p", `This page has no room for the reasons of ${why.left_out} more atoms.`);
    panel.tabIndex = -1;
    panel.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  }

  // A text which is a button where it is known why it holds.
  function ask(parent, text, name, before) {
    if (!name) { parent.textContent = text; return; }
    const button = add(parent, "button", text, "ask");
    button.title = `Why ${name}?`;
    button.addEventListener("click", () => { before(); explain(name); });
  }

  // What is known of a fluent at a step: by the name of its atom, or since when it is as it is.
  function nameOf(text, t) {
    if (text in why.fluents) return why.fluents[text].join(t + why.start);
    const since = ((why.at || {})[text] || []).filter(([from]) => from <= t).pop();
    return since ? since[1] : null;
  }

  const known = (name) => (byName.has(name) || name in why.false ? name : null);
  return {
    ask,
    fluent: (text, t) => known(nameOf(text, t)),
    actions: (t) => (t ? why.actions[t - 1] || [] : []).filter(known),
  };
};
