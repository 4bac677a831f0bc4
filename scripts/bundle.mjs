// bundle.mjs ENTRY OUTPUT: bundles the TypeScript sources of the workspace into one program. Dynamic imports become
// separate chunks, which load on demand, in the folder PROGRAM-chunks beside it. That folder belongs to this script.
import { existsSync, readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { buildTimeValue } from "./buildTimeValue.mjs"
import { inlineScript, minify } from "./inlineScript.mjs"

const [entry, output] = process.argv.slice(2)
if (entry === undefined || output === undefined) throw new Error("usage: bundle.mjs ENTRY OUTPUT")
const dir = dirname(output)
const program = basename(output, ".js")
const chunks = `${program}-chunks`

const bundle = await rolldown({
  input: { [program]: entry },
  platform: "node",
  plugins: [inlineScript(), buildTimeValue()],
  resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] },
  transform: { target: "node20" }
})
const { output: files } = await bundle.write({
  dir,
  format: "esm",
  minify,
  sourcemap: true,
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
