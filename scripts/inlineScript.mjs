import { dirname, resolve } from "node:path"
import { rolldown } from "rolldown"

const suffix = "?inline-script"

/** Minification for every bundle. Functions and classes keep their names, because people read stack traces and spans. */
export const minify = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } }

/**
 * Plugin for Rolldown and Vite. `import { script } from "./page.ts?inline-script"` imports the text of `page.ts` and its
 * imports, bundled as one classic script for browsers.
 */
export const inlineScript = () => ({
  name: "inline-script",
  /**
   * @param {string} specifier
   * @param {string | undefined} importer
   */
  resolveId(specifier, importer) {
    return specifier.endsWith(suffix) && importer !== undefined ? resolve(dirname(importer), specifier) : null
  },
  /**
   * @this {{ addWatchFile(file: string): void }}
   * @param {string} id
   */
  async load(id) {
    if (!id.endsWith(suffix)) return null
    const bundle = await rolldown({
      input: id.slice(0, -suffix.length),
      platform: "browser",
      transform: { target: "es2022" }
    })
    const { output: [{ code, moduleIds }] } = await bundle.generate({ format: "iife", strict: true, minify })
    await bundle.close()
    for (const file of moduleIds) this.addWatchFile(file)
    return `export const script = ${JSON.stringify(code)}`
  }
})
