// bundle.mjs ENTRY OUTPUT: bundles the TypeScript sources of the workspace into one program. Dynamic imports become
// separate chunks, which load on demand, in the folder PROGRAM-chunks beside it. That folder belongs to this script.
//
// Node.js takes 0.3 ms to load a chunk, and modules that chunks share become many small ones. If a file ENTRY.chunks.json
// exists, it maps the names of chunks to modules, in the order in which the program loads them: each chunk contains its
// modules and everything that they import and that is in no earlier one.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { rolldown } from "rolldown"
import { buildTimeValue } from "./buildTimeValue.mjs"
import { inlineScript, minify } from "./inlineScript.mjs"

const [entry, output] = process.argv.slice(2)
if (entry === undefined || output === undefined) throw new Error("usage: bundle.mjs ENTRY OUTPUT")
const dir = dirname(output)
const program = basename(output, ".js")
const chunks = `${program}-chunks`
const chunkList = entry.replace(/\.ts$/, ".chunks.json")
/** @type {Readonly<Record<string, ReadonlyArray<string>>>} */
const modulesOfChunks = existsSync(chunkList) ? JSON.parse(readFileSync(chunkList, "utf8")) : {}

const bundle = await rolldown({
  input: { [program]: entry },
  platform: "node",
  plugins: [inlineScript(), buildTimeValue()],
  resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] },
  transform: { target: "node20" },
  // No comments with the paths of modules
  experimental: { attachDebugInfo: "none" }
})
const { output: files } = await bundle.write({
  dir,
  format: "esm",
  minify,
  // No archive contains the maps: they are 80 % of the bundle. They name the bundled packages, and profiles use them
  sourcemap: "hidden",
  codeSplitting: {
    groups: Object.entries(modulesOfChunks).map(([name, modules], index, { length }) => {
      const files = new Set(modules.map((module) => resolve(dirname(entry), module)))
      for (const file of files) if (!existsSync(file)) throw new Error(`${chunkList}: ${file} does not exist`)
      return { name, test: (/** @type {string} */ id) => files.has(id), priority: length - index }
    })
  },
  entryFileNames: "[name].js",
  chunkFileNames: `${chunks}/[name]-[hash].js`
})
await bundle.close()

// Chunks of earlier bundles of this program. Other files in the output folder stay.
const written = new Set(files.flatMap(({ fileName }) => [fileName, `${fileName}.map`]))
if (existsSync(join(dir, chunks))) {
  for (const name of readdirSync(join(dir, chunks)).filter((name) => !written.has(`${chunks}/${name}`))) {
    rmSync(join(dir, chunks, name))
  }
}
