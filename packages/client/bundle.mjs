// bundle.mjs [FOLDER]: bundles the package with its dependencies, so that it installs without any and works beside every version of
// Effect. Not minified: programs for browsers minify their own bundle. The source maps tell which licenses apply; they are not
// published.
//
// Every module with values that index.ts exports is an entry or has a chunk. Then index.js only re-exports them, and bundlers leave
// out the modules of which a program uses nothing, although those of Effect run code when they are imported.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

const [, , folder = "dist"] = process.argv
const entries = ["index", "sandbox"]
const modules = ["Amount", "Json"]

/** Each chunk has its modules, and what they import unless an earlier chunk has it. By default there would be more chunks. */
const chunks = {
  formatUnits: /\/core\/src\/internal\/formatUnits\.ts$/,
  Errors: /\/client\/src\/Errors\.ts$/,
  Models: /\/client\/src\/Models\.ts$/,
  Client: /\/client\/src\/Client\.ts$/
}

const bundle = await rolldown({
  input: Object.fromEntries([...entries, ...modules].map((name) => [name, `src/${name}.ts`])),
  platform: "neutral",
  resolve: { conditionNames: ["@blockquarry/source", "import", "default"] },
  transform: { target: "es2022" },
  // No comments with the paths of modules
  experimental: { attachDebugInfo: "none" }
})
rmSync(join(folder, "index-chunks"), { recursive: true, force: true })
await bundle.write({
  dir: folder,
  format: "esm",
  sourcemap: "hidden",
  comments: { annotation: true, jsdoc: false, legal: true },
  codeSplitting: {
    groups: Object.entries(chunks).map(([name, test], index, { length }) => ({
      name,
      test,
      priority: length - index
    }))
  },
  entryFileNames: ({ name }) => entries.includes(name) ? "[name].js" : "index-chunks/[name].js",
  chunkFileNames: "index-chunks/[name]-[hash].js"
})
await bundle.close()
