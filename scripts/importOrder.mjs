// A plugin of oxlint. `blockquarry/import-order` has a list of files and folders for each folder in its options. Each of
// them imports only from itself and from those after it, types included. What is not listed comes last.
import { dirname, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("..", import.meta.url))

/**
 * @typedef {{ readonly source?: { readonly value?: unknown } | null }} Import
 *
 * @param {{
 *   readonly filename: string
 *   readonly options: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
 *   readonly report: (problem: { readonly node: Import, readonly message: string }) => void
 * }} context
 */
const create = ({ filename, options: [orders = {}], report }) => {
  const [folder, order] =
    Object.entries(orders).find(([folder]) => filename.startsWith(resolve(repository, folder) + sep)) ?? []
  if (folder === undefined || order === undefined) return {}
  /** @param {string} path */
  const entryOf = (path) => relative(resolve(repository, folder), path).split(sep)[0] ?? ""
  /** @param {string} entry */
  const positionOf = (entry) => order.includes(entry) ? order.indexOf(entry) : order.length
  const own = entryOf(filename)
  /** @param {Import} node */
  const check = (node) => {
    const path = node.source?.value
    if (typeof path !== "string" || !path.startsWith(".")) return
    const imported = entryOf(resolve(dirname(filename), path))
    if (imported !== ".." && positionOf(imported) < positionOf(own)) {
      report({ node, message: `${own} comes after ${imported} in ${folder}, and must not import it.` })
    }
  }
  return {
    ImportDeclaration: check,
    ImportExpression: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check,
    TSImportType: check
  }
}

export default {
  meta: { name: "blockquarry" },
  rules: { "import-order": { meta: { schema: false }, create } }
}
