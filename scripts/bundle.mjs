// bundle.mjs ENTRY OUTPUT: bundles the TypeScript sources of the workspace into one program. Dynamic imports become
// separate chunks, which load on demand.
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { inlineScript, minify } from "./inlineScript.mjs"

const [entry, output] = process.argv.slice(2)
if (entry === undefined || output === undefined) throw new Error("usage: bundle.mjs ENTRY OUTPUT")
const dir = dirname(output)

const bundle = await rolldown({
  input: { [basename(output, ".js")]: entry },
  platform: "node",
  plugins: [inlineScript()],
  resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] },
  transform: { target: "node20" }
})
const { output: files } = await bundle.write({
  dir,
  format: "esm",
  minify,
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js"
})
await bundle.close()

const written = new Set(files.flatMap(({ fileName }) => [fileName, `${fileName}.map`]))
for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
  const name = join(file.parentPath, file.name).slice(join(dir, "/").length).replaceAll("\\", "/")
  if (file.isFile() && !written.has(name)) rmSync(join(dir, name))
}
