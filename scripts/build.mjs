// Builds the library in the working directory from scratch, so that output of removed sources is removed too. Comments stay in the
// types and in the sources, which are published too, so the programs have none but annotations.
import { execFileSync } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

rmSync("dist", { recursive: true, force: true })

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts")
)
const bundle = await rolldown({
  input: Object.fromEntries(sources.map((file) => [file.slice(0, -".ts".length), join("src", file)])),
  treeshake: false,
  transform: { target: "es2022" },
  // No comments with the paths of modules
  experimental: { attachDebugInfo: "none" },
  plugins: [
    {
      // Every module is a file of its own
      name: "import",
      resolveId: (source, importer) =>
        importer === undefined ? null : { id: source.replace(/^(\..*)\.ts$/, "$1.js"), external: true }
    }
  ]
})
await bundle.write({
  dir: "dist",
  entryFileNames: "[name].js",
  comments: { annotation: true, jsdoc: false, legal: true }
})
await bundle.close()

execFileSync(process.execPath, [join(import.meta.dirname, "tsc.mjs"), "-b", "tsconfig.json"], {
  stdio: "inherit"
})
