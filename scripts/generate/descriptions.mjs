/** The descriptions of the operations as values. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

/** @typedef {import("../../packages/core/src/Operation.ts").AnyOperation} Operation */

/** The order of documents. Further groups follow in alphabetical order. */
const groups = ["Wallets", "Tokens", "NFTs", "Streams", "Ledger"]

/** @param {Operation} operation */
const orderOf = ({ docs: { group = "" }, path }) => {
  const index = groups.indexOf(group)
  return `${index < 0 ? groups.length : index} ${group} ${path}`
}

/**
 * Returns the modules below a folder, without the extension.
 *
 * @param {string} folder
 */
export const modulesIn = (folder) =>
  readdirSync(folder).flatMap((file) => file.endsWith(".ts") ? [file.slice(0, -".ts".length)] : []).sort()

/**
 * Loads all operations, by group and path.
 *
 * @param {string} core the sources of the package
 * @returns {Promise<ReadonlyArray<Operation>>}
 */
export const loadDescriptions = async (core) => {
  const ids = modulesIn(join(core, "operations"))
  const entry = [
    ...ids.map((id) => `import { ${id} } from ${JSON.stringify(join(core, "operations", `${id}.ts`))}`),
    `export const operations = [${ids.join(", ")}]`
  ].join("\n")
  const bundle = await rolldown({
    input: "descriptions",
    platform: "node",
    plugins: [{
      name: "descriptions",
      resolveId: (id) => id === "descriptions" ? id : null,
      load: (id) => id === "descriptions" ? entry : null
    }],
    resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] }
  })
  const { output: [{ code }] } = await bundle.generate({ format: "esm" })
  await bundle.close()
  const { operations } = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  )
  for (const { docs, example, id } of operations) {
    if (docs.group === undefined || example === undefined) {
      throw new Error(`${id}: its description needs docs.group and example`)
    }
  }
  return operations.toSorted((/** @type {Operation} */ a, /** @type {Operation} */ b) =>
    orderOf(a) < orderOf(b) ? -1 : 1
  )
}
