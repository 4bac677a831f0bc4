// Bundles the package with its dependencies, so that it installs without any and works beside every version of Effect. Not
// minified: programs for browsers minify their own bundle. The source maps tell which licenses apply; they are not published.
import { rmSync } from "node:fs"
import { rolldown } from "rolldown"

const bundle = await rolldown({
  input: { index: "src/index.ts", sandbox: "src/sandbox.ts" },
  platform: "neutral",
  resolve: { conditionNames: ["@blockquarry/source", "import", "default"] },
  transform: { target: "es2022" }
})
rmSync("dist/index-chunks", { recursive: true, force: true })
await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: "hidden",
  comments: { annotation: true, jsdoc: false, legal: true },
  entryFileNames: "[name].js",
  chunkFileNames: "index-chunks/shared-[hash].js"
})
await bundle.close()
