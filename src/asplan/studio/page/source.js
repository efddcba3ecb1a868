// The files, each in an editor, with a bar for what the rules of a line cost, and what is wrong or odd below its line.

import {
  Annotation, Decoration, EditorState, EditorView, GutterMarker, RangeSet, StateEffect, StateField, WidgetType,
  autocompletion, bracketMatching, completionKeymap, defaultKeymap, gutter, highlightSelectionMatches,
  highlightSpecialChars, history, historyKeymap, keymap, lineNumbers, lintGutter, lintKeymap, searchKeymap, setDiagnostics,
} from "./codemirror.js";
import { completion, highlighting, languageOf } from "./languages.js";

const boxes = new Map(); // file -> its box: the element, the view, and what the server knows of it

export const base = (file) => file.split(/[\\/]/).pop();
export const placeOf = ({ file, line, column }) => (file ? `${base(file)}:${line}${column ? `:${column}` : ""}` : "");

function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// Bars beside the lines, and remarks below them, which move with the lines as somebody types.

function field(provide) {
  const put = StateEffect.define();
  const made = StateField.define({
    create: () => RangeSet.empty,
    update(value, change) {
      const news = change.effects.find((effect) => effect.is(put));
      return news ? news.value : value.map(change.changes);
    },
    provide,
  });
  return { made, put };
}

class Bar extends GutterMarker {
  constructor(share, text) { super(); Object.assign(this, { share, text }); }
  eq(other) { return other.share === this.share && other.text === this.text; }
  toDOM() {
    const bar = make("i");
    bar.style.width = `${this.share}%`;
    bar.title = this.text;
    return bar;
  }
}

class Remark extends WidgetType {
  constructor(remark) { super(); this.remark = remark; }
  eq(other) { return JSON.stringify(other.remark) === JSON.stringify(this.remark); }
  toDOM() {
    const { severity, message, hint } = this.remark, made = make("div", `remark ${severity}`);
    made.append(make("strong", "", message), ...(hint ? [make("span", "", ` ${hint}`)] : []));
    return made;
  }
}

const bars = field();
const remarks = field((own) => EditorView.decorations.from(own));
const isOurs = Annotation.define();
const readOnly = StateEffect.define();
const locked = StateField.define({
  create: () => true,
  update: (value, change) => change.effects.reduce((now, effect) => (effect.is(readOnly) ? effect.value : now), value),
  provide: (own) => [EditorState.readOnly.from(own)],
});

const lineAt = (view, line) => view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));

// A character that turns the direction of a text, or cannot be seen, is shown by its number.
const special = highlightSpecialChars({
  render: (code) => make("span", "cm-specialChar", `\\u${code.toString(16).padStart(4, "0")}`),
});

function editor(file, parent, save, changed) {
  const texts = () => [...boxes.values()].filter((b) => languageOf(b.file) === languageOf(file)).map((b) => b.view.state.doc.toString());
  const nonce = document.querySelector('meta[name="style-nonce"]').content;
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce), locked, lineNumbers(), lintGutter(),
        bars.made, gutter({ class: "cm-bars", markers: (view) => view.state.field(bars.made) }), remarks.made,
        history(), bracketMatching(), highlightSelectionMatches(), special, EditorView.lineWrapping,
        languageOf(file), highlighting, autocompletion({ override: [completion(file, texts)] }),
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => { save(); return true; } },
          ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": `Text of ${base(file)}`, spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
}

// Puts a text into an editor, and changes no more than differs, so that the cursor stays where it is.
function put(view, text) {
  const old = view.state.doc.toString();
  if (old === text) return;
  let from = 0, end = 0;
  const most = Math.min(old.length, text.length);
  while (from < most && old[from] === text[from]) from++;
  while (end < most - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) }, annotations: isOurs.of(true) });
}

function makeBox(file, store) {
  const element = make("details"), title = make("summary", "", base(file)), bar = make("p", "bar");
  const box = { file, element, bar, note: make("small"), save: make("button", "", "Save"), load: make("button", "", "Load it"), keep: make("button", "", "Keep mine") };
  element.open = true;
  element.dataset.file = file;
  title.title = file;
  title.append(box.note);
  box.words = make("span");
  bar.append(box.words, box.load, box.keep, box.save);
  element.append(title, bar);
  box.store = async () => {
    // Saved twice, a text would be refused for what the first time has made of the file.
    const isUnderWay = box.isSaving || box.version === null;
    if (!box.known.editable || !isChanged(box) || isUnderWay) return;
    const text = box.view.state.doc.toString();
    box.isSaving = true;
    const refused = await store("save", { file, version: box.version, text });
    box.isSaving = false;
    box.refused = refused;
    if (!refused) Object.assign(box, { version: null, saved: text }); // the new version comes with the sources
    showBar(box);
  };
  box.view = editor(file, element, box.store, () => showBar(box));
  box.save.addEventListener("click", box.store);
  box.load.addEventListener("click", () => { box.version = box.known.version; put(box.view, box.known.text); showBar(box); });
  box.keep.addEventListener("click", () => { box.version = box.known.version; showBar(box); });
  return box;
}

const isChanged = (box) => Boolean(box.known) && box.view.state.doc.toString() !== box.known.text;

function showBar(box) {
  const changed = isChanged(box), conflict = changed && box.version !== box.known.version && box.version !== null;
  box.bar.hidden = !changed && !box.refused;
  box.words.textContent = box.refused || (conflict ? "The file has changed on disk." : "Not saved yet.");
  box.load.hidden = box.keep.hidden = !conflict;
  box.save.disabled = !changed || conflict;
}

// `store` sends a text to the server, and returns why it is refused, if it is.
export function showSources(place, sources, store) {
  const shown = sources.map((known, i) => {
    const box = boxes.get(known.file) || makeBox(known.file, store);
    const text = box.view.state.doc.toString(), isAwaited = box.version === null, before = isAwaited ? box.saved : box.known?.text;
    const isOpen = box.known !== undefined && text !== before && known.text !== text;
    if (box.known === undefined) box.element.open = known.editable || i < 2;
    box.known = known;
    box.refused = "";
    boxes.set(known.file, box);
    if (!isOpen) put(box.view, known.text);
    // What was typed while a text was saved goes on from that text, unless the file is another by now.
    if (!isOpen || (isAwaited && known.text === box.saved)) box.version = known.version;
    else if (isAwaited) box.version = "";
    box.view.dispatch({ effects: readOnly.of(!known.editable) });
    box.note.textContent = known.note;
    showBar(box);
    return box;
  });
  for (const file of [...boxes.keys()]) {
    if (shown.some((box) => box.file === file)) continue;
    boxes.get(file).view.destroy();
    boxes.get(file).element.remove();
    boxes.delete(file);
  }
  shown.forEach((box, i) => { if (place.children[i] !== box.element) place.insertBefore(box.element, place.children[i] || null); });
}

// The bars: `heat` is null as long as nothing is known. Their length is linear; the longest is that of the dearest line.
export function showHeat(scale, list, heat) {
  const lines = heat ? heat.lines.filter((line) => line.instantiations && boxes.has(line.file)) : [];
  const most = Math.max(1, ...lines.map((line) => line.instantiations));
  for (const line of lines) {
    const about = line.approximate ? "about " : "";
    line.length = (100 * line.instantiations) / most;
    line.text = `${about}${line.instantiations.toLocaleString("en")} instantiations, ${(100 * line.share).toFixed(1)} %`;
  }
  for (const { file, view } of boxes.values()) {
    const own = lines.filter((line) => line.file === file).sort((a, b) => a.line - b.line);
    const marks = own.map((line) => new Bar(line.length, [line.text, line.advice].filter(Boolean).join(". ")).range(lineAt(view, line.line).from));
    view.dispatch({ effects: bars.put.of(RangeSet.of(marks)) });
  }
  scale.textContent = !heat ? "The counts follow after the outcome."
    : lines.length ? `How often the rules of a line were instantiated up to horizon ${heat.horizon}.` + (heat.reason ? ` So far: ${heat.reason}.` : "")
    : `Nothing is counted: ${heat.reason || "nothing was instantiated"}.`;
  list.replaceChildren(...lines.slice(0, 30).map((line) => {
    const item = make("li"), button = make("button", "place", placeOf(line)), bar = make("span", "length"), length = bar.appendChild(make("i"));
    length.style.width = `${line.length}%`;
    button.addEventListener("click", () => reveal(line));
    item.append(button, bar, make("span", "count", line.text), make("code", "", lineAt(boxes.get(line.file).view, line.line).text.trim()));
    if (line.advice) item.append(make("em", "", line.advice));
    return item;
  }));
}

// Puts remarks at their lines; returns those that have none.
export function showRemarks(all) {
  const isPlaced = (remark) => boxes.has(remark.file);
  for (const { file, view } of boxes.values()) {
    const own = all.filter((remark) => remark.file === file).sort((a, b) => a.line - b.line);
    const widgets = own.map((remark) => Decoration.widget({ widget: new Remark(remark), block: true, side: 1 }).range(lineAt(view, remark.line).to));
    view.dispatch({ effects: remarks.put.of(Decoration.set(widgets)) });
    view.dispatch(setDiagnostics(view.state, own.map(({ line, column, message, hint, severity }) => {
      const at = lineAt(view, line), from = Math.min(at.from + Math.max(0, (column || 1) - 1), at.to);
      return { from, to: at.to, severity, message: [message, hint].filter(Boolean).join("\n") };
    })));
  }
  return all.filter((remark) => !isPlaced(remark));
}

export function reveal({ file, line }) {
  const box = boxes.get(file);
  if (!box) return;
  box.element.open = true;
  const at = lineAt(box.view, line);
  box.view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
  box.element.scrollIntoView({ block: "nearest" });
}

// A line of text in which places of files that are shown are buttons that lead there.
export function linked(text) {
  const line = make("div", "line");
  let end = 0;
  for (const found of text.matchAll(/([^\s:()]+):(\d+)(?::\d+)?/g)) {
    const file = [...boxes.keys()].find((name) => name === found[1] || base(name) === base(found[1]));
    if (!file) continue;
    const button = make("button", "place", base(found[0]));
    button.addEventListener("click", () => reveal({ file, line: Number(found[2]) }));
    line.append(text.slice(end, found.index), button);
    end = found.index + found[0].length;
  }
  line.append(text.slice(end));
  return line;
}
