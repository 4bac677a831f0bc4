import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { inlineScript } from "./inlineScript.mjs"

const suffix = ".build.ts"

/**
 * Plugin for Rolldown and Vite. Runs a module whose name ends in `.build.ts` when the bundle is built, and replaces it by
 * its exports as JSON: the bundle contains the values, but not the code that computes them.
 */
export const buildTimeValue = () => ({
  name: "build-time-value",
  /**
   * @this {{ addWatchFile(file: string): void }}
   * @param {string} id
   */
  async load(id) {
    if (!id.endsWith(suffix)) return null
    const directory = await mkdtemp(join(tmpdir(), "blockquarry-build-"))
    try {
      const bundle = await rolldown({
        input: { values: id },
        platform: "node",
        plugins: [inlineScript()],
        resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] }
      })
      const { output } = await bundle.write({
        dir: directory,
        format: "esm",
        entryFileNames: "[name].mjs",
        chunkFileNames: "[name]-[hash].mjs"
      })
      await bundle.close()
      for (const file of output.flatMap((chunk) => chunk.type === "chunk" ? chunk.moduleIds : [])) {
        if (!file.includes("node_modules")) this.addWatchFile(file)
      }
      const values = await import(pathToFileURL(join(directory, "values.mjs")).href)
      // Parsing a text is faster than evaluating a literal of this size
      return Object.entries(values).map(([name, value]) =>
        `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))})\n`
      ).join("")
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
})
