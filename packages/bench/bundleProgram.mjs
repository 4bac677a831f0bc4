// bundleProgram.mjs ENTRY OUTPUT: bundles a program for production, in one file, and prints its size in bytes after gzip.
import { writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const [entry, file] = process.argv.slice(2)
if (entry === undefined || file === undefined) throw new Error("usage: bundleProgram.mjs ENTRY OUTPUT")

const bundle = await rolldown({
  input: entry,
  platform: "node",
  resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] }
})
const { output } = await bundle.generate({ format: "esm", minify: true })
await bundle.close()
const [{ code }, ...others] = output
if (others.length > 0) throw new Error(`${entry}: expected one file, got ${output.length}`)
writeFileSync(file, code)
process.stdout.write(`${gzipSync(code).byteLength}\n`)
