// How ASP and PDDL look in the editor, and what can be completed in them.

import { HighlightStyle, StreamLanguage, syntaxHighlighting, tags } from "./codemirror.js";

function inBlockComment(stream, state) {
  while (!stream.eol()) {
    if (stream.match("*%")) { state.comment = false; break; }
    stream.next();
  }
  return "comment";
}

const asp = StreamLanguage.define({
  name: "asp",
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) return inBlockComment(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("%*")) { state.comment = true; return inBlockComment(stream, state); }
    if (stream.match("%")) { stream.skipToEnd(); return "comment"; }
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return "string";
    if (stream.match(/^#[a-z]+/) || stream.match(/^not\b/)) return "keyword";
    if (stream.match(/^(0[xob])?[0-9a-fA-F]*\d\b|^\d+/)) return "number";
    if (stream.match(/^[_']*[A-Z][A-Za-z0-9_']*/) || stream.match(/^_(?![A-Za-z0-9])/)) return "variableName";
    if (stream.match(/^[_']*[a-z][A-Za-z0-9_']*/)) return stream.peek() === "(" ? "typeName" : "atom";
    if (stream.match(/^(:-|:~|\.\.|[<>!]?=|[<>:;+*\/\\|&?^~-])/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "%", block: { open: "%*", close: "*%" } }, wordChars: "'" },
});

const PDDL_WORDS = /^(define|domain|problem|and|or|not|imply|forall|exists|when|assign|increase|decrease|either|at start|at end|over all)(?![\w-])/i;

const pddl = StreamLanguage.define({
  name: "pddl",
  startState: () => ({ opened: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    const first = state.opened;
    state.opened = false;
    if (stream.match(";")) { stream.skipToEnd(); return "comment"; }
    if (stream.match("(")) { state.opened = true; return null; }
    if (stream.match(/^:[\w-]+/)) return "keyword";
    if (stream.match(/^\?[\w-]+/)) return "variableName";
    if (first && stream.match(PDDL_WORDS)) return "keyword";
    if (stream.match(/^-?\d+(\.\d+)?(?![\w-])/)) return "number";
    if (stream.match(/^[A-Za-z][\w-]*/)) return first ? "typeName" : "atom";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: ";" }, wordChars: "-?:" },
});

export const languageOf = (file) => (/\.pddl$/i.test(file) ? pddl : asp);

const look = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)" },
  { tag: tags.keyword, color: "var(--solid)", fontWeight: "600" },
  { tag: tags.string, color: "var(--green)" },
  { tag: tags.number, color: "var(--amber)" },
  { tag: tags.variableName, color: "var(--accent)" },
  { tag: tags.typeName, color: "var(--ink)", fontWeight: "600" },
  { tag: tags.operator, color: "var(--quiet)" },
]);
export const highlighting = syntaxHighlighting(look);

const DIRECTIVES = ["#program", "#external", "#show", "#const", "#include", "#minimize", "#maximize", "#count", "#sum", "#min", "#max", "not"];
const PDDL_KEYS = [":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":durative-action", ":derived",
  ":parameters", ":precondition", ":effect", ":condition", ":duration", ":objects", ":init", ":goal", ":metric"];

// The arguments of an atom that begins at a bracket, as far as the line goes.
function arity(text, from) {
  let depth = 0, commas = 0;
  for (let i = from; i < text.length && text[i] !== "\n"; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return commas + 1;
    else if (text[i] === "," && depth === 1) commas++;
  }
  return 0;
}

function aspWords(texts) {
  const found = new Map(DIRECTIVES.map((label) => [label, { label, type: "keyword" }]));
  for (const text of texts.map((t) => t.replace(/%.*/g, ""))) {
    for (const { 0: label, index } of text.matchAll(/(?<![\w'#"])_*[a-z][\w']*/g)) {
      const n = text[index + label.length] === "(" ? arity(text, index + label.length) : 0;
      if (label !== "not") found.set(`${label}/${n}`, { label, detail: n ? `/${n}` : "", type: n ? "function" : "constant" });
    }
  }
  return [...found.values()];
}

function pddlWords(texts) {
  const found = new Map(PDDL_KEYS.map((label) => [label, { label, type: "keyword" }]));
  for (const text of texts.map((t) => t.replace(/;.*/g, ""))) {
    for (const [label] of text.matchAll(/(?<![\w:?-])\??[A-Za-z][\w-]*/g)) {
      found.set(label, { label, type: label[0] === "?" ? "variable" : "function" });
    }
  }
  return [...found.values()];
}

// Predicates and other names of all files of a kind; `texts` gives what stands in them now.
export const completion = (file, texts) => (context) => {
  const isPddl = languageOf(file) === pddl;
  const word = context.matchBefore(isPddl ? /[:?]?[\w-]+/ : /#?[\w']+/);
  if (!word && !context.explicit) return null;
  const options = isPddl ? pddlWords(texts()) : aspWords(texts());
  const typed = word ? word.text : "";
  return {
    from: word ? word.from : context.pos,
    options: options.filter((one) => one.label !== typed),
    validFor: isPddl ? /^[:?]?[\w-]*$/ : /^#?[\w']*$/,
  };
};
