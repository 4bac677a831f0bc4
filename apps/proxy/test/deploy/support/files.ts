/** The deployment files, as text and as documents. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Yaml from "yaml"

export const root = fileURLToPath(new URL("../../../../../", import.meta.url))

export const folder = fileURLToPath(new URL("../../../deploy/", import.meta.url))

export const text = (name: string): string => readFileSync(`${folder}${name}`, "utf8")

/** Returns the relative paths of all files in a directory. */
export const filesIn = (name: string): ReadonlyArray<string> =>
  readdirSync(`${folder}${name}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(`${folder}${name}/`.length))
    .toSorted()

/** Returns every document of a file. Throws on invalid YAML and duplicate keys. */
export const documents = (name: string): ReadonlyArray<object> =>
  Yaml.parseAllDocuments(text(name), { merge: true }).map((document) => {
    if ("errors" in document && document.errors[0] !== undefined) throw document.errors[0]
    const value: unknown = document.toJS()
    if (typeof value !== "object" || value === null) throw new Error(`${name} holds an empty document`)
    return value
  })

export const document = (name: string): object => {
  const [first, second] = documents(name)
  if (first === undefined || second !== undefined) throw new Error(`${name} holds not just one document`)
  return first
}
