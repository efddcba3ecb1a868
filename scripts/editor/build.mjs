// Writes src/asplan/studio/page/codemirror.js: CodeMirror and what it needs, with their licences in front.

import { readFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const found = [];
for (const scope of ["@codemirror/", "@lezer/", "@marijn/", ""]) {
  for (const name of scope ? readdirSync(`node_modules/${scope}`) : ["crelt", "style-mod", "w3c-keyname"]) {
    const folder = `node_modules/${scope}${name}`;
    const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    found.push({ name: `${scope}${name} ${version}`, licence: readFileSync(`${folder}/LICENSE`, "utf8").trim() });
  }
}
const licences = [...new Set(found.map((one) => one.licence))].map((licence) =>
  `${found.filter((one) => one.licence === licence).map((one) => one.name).join(", ")}\n\n${licence}`);
await build({
  entryPoints: ["entry.js"],
  outfile: "../../src/asplan/studio/page/codemirror.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  banner: { js: `/* Bundled by scripts/editor, see there.\n\n${licences.join("\n\n")}\n*/` },
});
