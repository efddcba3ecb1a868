// The grammars give the words of some lines the scopes that are expected: `node test/grammar.js`.

const fs = require("fs");
const path = require("path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const ROOT = path.join(__dirname, "..");
const FILES = { "source.asp": "asp", "source.pddl": "pddl" };

/** Lines with their expected words, each with the start of its innermost scope. */
const CASES = [
  ["source.asp", "% a comment", [["% a comment", "comment.line"]]],
  ["source.asp", "%* on p(X). *% q.", [[" on p(X). ", "comment.block"], ["q", "constant.other"]]],
  ["source.asp", "#program step(t).", [["#program", "keyword.control"], ["step", "entity.name.section"]]],
  ["source.asp", "lit(L,t) :- not press(L,t-1), L != 3.", [
    ["lit", "entity.name.function"],
    ["L", "variable"],
    ["t", "constant.other"],
    [":-", "keyword.operator.rule"],
    ["not", "keyword.operator.negation"],
    ["!=", "keyword.operator.comparison"],
    ["3", "constant.numeric"],
  ]],
  ["source.asp", '#include "a % b.lp".', [["#include", "keyword.control"], ["a % b.lp", "string"]]],
  ["source.asp", "#show move/3.", [["move", "entity.name.function"], ["3", "constant.numeric"]]],
  ["source.asp", ":- #count { X : on(X) } > 2, &diff { a-b } <= @f(1..n).", [
    ["#count", "keyword.operator.aggregate"],
    ["diff", "entity.name.function.theory"],
    ["f", "support.function"],
    ["..", "keyword.operator.arithmetic"],
  ]],
  ["source.asp", "'on(_, _X, notable) :- #true.", [
    ["'on", "entity.name.function"],
    ["_", "variable"],
    ["_X", "variable"],
    ["notable", "constant.other"],
    ["#true", "constant.language"],
  ]],
  ["source.pddl", "(:action pick-up :parameters (?b - block)) ; x", [
    [":action", "keyword.control"],
    ["pick-up", "entity.name.function.action"],
    [":parameters", "keyword.control"],
    ["?b", "variable"],
    ["block", "entity.name.type"],
    ["; x", "comment"],
  ]],
  ["source.pddl", "(and (on a b) (not (clear a)))", [
    ["and", "keyword.operator"],
    ["on", "entity.name.function"],
    ["b", "constant.other"],
    ["not", "keyword.operator"],
  ]],
];

async function makeRegistry() {
  const wasm = path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm");
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = path.join(ROOT, "syntaxes", `${FILES[scope]}.tmLanguage.json`);
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
}

async function main() {
  const registry = await makeRegistry();
  let wrong = 0;
  for (const [scope, line, expected] of CASES) {
    const grammar = await registry.loadGrammar(scope);
    const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL);
    const found = tokens.map((t) => [line.slice(t.startIndex, t.endIndex), t.scopes]);
    for (const [word, start] of expected) {
      const fits = found.some(([text, scopes]) => text === word && scopes.some((s) => s.startsWith(start)));
      if (!fits) {
        wrong += 1;
        console.error(`${line}\n  ${word}: expected ${start}, found`, JSON.stringify(found));
      }
    }
  }
  console.log(`${CASES.length} lines, ${wrong} wrong scopes`);
  process.exit(wrong ? 1 : 0);
}

main();
