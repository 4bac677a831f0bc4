#!/usr/bin/env bash
# A library whose programs are published without comments loses /* @__PURE__ */ too, and then every program bundles what it does not use:
# TypeScript 5.9.3 with removeComments, minifySync of rolldown 1.3.2 with compress and mangle off and whitespace kept, @swc/core 1.15.3
# and terser 5.44.1 with both off, and esbuild 0.28.2. Only terser has an option against it. The bundler rolldown 1.3.2 keeps annotations
# with comments: { annotation: true, jsdoc: false, legal: true }. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund rolldown@1.3.2 esbuild@0.28.2 terser@5.44.1 @swc/core@1.15.3 typescript@5.9.3 >/dev/null

cat >program.mjs <<'PROGRAM'
import swc from "@swc/core"
import * as esbuild from "esbuild"
import { mkdirSync, writeFileSync } from "node:fs"
import { rolldown } from "rolldown"
import { minifySync } from "rolldown/utils"
import { minify } from "terser"
import ts from "typescript"

// A library of which a program uses only `origin`
const library = `import { compile } from "./compile.js"
/** A schema */
export const schema = /* @__PURE__ */ compile("schema")
export const origin = 0
`
const formatted = { compress: false, mangle: false }
const tools = {
  source: () => library,
  esbuild: async () => (await esbuild.transform(library, { minify: true })).code,
  terser: async () => (await minify(library, { module: true, ...formatted })).code,
  "terser, annotations kept": async () =>
    (await minify(library, { module: true, ...formatted, format: { preserve_annotations: true } })).code,
  swc: async () => (await swc.minify(library, { module: true, ...formatted })).code,
  "rolldown/utils": () =>
    minifySync("library.js", library, { module: true, ...formatted, codegen: { removeWhitespace: false } }).code,
  "tsc --removeComments": () =>
    ts.transpileModule(library, { compilerOptions: { module: 99, target: 9, removeComments: true } }).outputText
}
mkdirSync("library")
writeFileSync("library/compile.js", "export const compile = (text) => { globalThis.compiled = text; return text }")
tools["the bundler rolldown"] = async () => {
  writeFileSync("library/source.js", library)
  const bundle = await rolldown({ input: "library/source.js", external: /compile/, treeshake: false })
  const { output: [{ code }] } = await bundle.generate({ comments: { annotation: true, jsdoc: false, legal: true } })
  return code
}
for (const [name, run] of Object.entries(tools)) {
  writeFileSync("library/index.js", await run())
  writeFileSync("program.js", `import { origin } from "./library/index.js"; console.log(origin)`)
  const bundle = await rolldown({ input: "program.js", platform: "neutral" })
  const { output: [{ code }] } = await bundle.generate({ minify: true })
  console.log(`${name}: the program has ${code.includes("schema") ? "the schema too" : "only what it uses"}`)
}
PROGRAM
node program.mjs | tee output
diff output - <<'EXPECTED'
source: the program has only what it uses
esbuild: the program has the schema too
terser: the program has the schema too
terser, annotations kept: the program has only what it uses
swc: the program has the schema too
rolldown/utils: the program has the schema too
tsc --removeComments: the program has the schema too
the bundler rolldown: the program has only what it uses
EXPECTED
