// The documentation that editors show.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert } from "./common.mjs"

/**
 * Checks the documentation that editors show for input fields.
 *
 * @param {string} project
 * @param {string} typescript folder of the package with the JavaScript API
 */
export const hover = async (project, typescript) => {
  const ts = createRequire(import.meta.url)(typescript)
  const { walletTransfers } = await import(
    pathToFileURL(join(project, "node_modules/@blockquarry/core/dist/operations/walletTransfers.js")).href
  )
  const text = `import type { WalletTransfersInput } from "@blockquarry/core/Inputs"
export const input: WalletTransfersInput = { address: "0x", chain: "eth", from_block: 1, limit: 5, order: "ASC" }`
  const file = join(project, "hover.ts")
  writeFileSync(file, text)
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (/** @type {string} */ name) =>
      existsSync(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined,
    getCurrentDirectory: () => project,
    getCompilationSettings: () => ({ strict: true, module: ts.ModuleKind.NodeNext }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    realpath: ts.sys.realpath
  })
  const names = ["address", "chain", "from_block", "limit", "order"]
  for (const name of names) {
    const { documentation } = service.getQuickInfoAtPosition(file, text.indexOf(` ${name}:`) + 1) ?? {}
    const { description } = walletTransfers.parameters.find((/** @type {{ name: string }} */ one) =>
      one.name === name
    )
    const shown = ts.displayPartsToString(documentation)
    assert(shown.includes(description), `${name} shows "${shown}", expected "${description}"`)
  }
  return `${names.length} fields`
}
