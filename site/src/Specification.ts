/** Reads the tables of the specification of the interface, which `site/specification/tables.txt` has word for word. */
import type { AnyOperation } from "@blockquarry/core/Operation"

/**
 * The name of a field or a parameter, where dots separate the names of nested fields, and its type and format in the words of the
 * specification, empty if it has none. Those of a parameter begin with `path`, `query` or `body (JSON)`.
 */
type Specified = readonly [name: string, words: string]

/** Returns what the tables say of an operation. */
export const specifiedOperation = (
  tables: string,
  { method, path }: Pick<AnyOperation, "method" | "path">
): { readonly [L in "parameters" | "fields"]: ReadonlyMap<string, string> } => {
  const sections = sectionsOf(tables)
  const [endpoint = "", text = ""] =
    [...sections].find(([, text]) =>
      text.split("\n").some((line) => line.replace(/\{\w+\}/, "") === `${method} ${path}`)
    ) ?? []
  const envelope = rowsOf(sections.get("page envelopes")).find(([of = ""]) =>
    endpoint.endsWith(of.toLowerCase())
  )?.[1]
  const response = /Response.*/.exec(text)?.[0].toLowerCase() ?? ""
  const [, record] = [...sections].find(([title]) => / record$/.test(title) && response.includes(title)) ?? []
  const [, ...absent] = / without (\w+) and (\w+)/.exec(response) ?? []
  const fields = fieldsOf(record).filter(([name]) => !absent.includes(name.split(".")[0] ?? ""))
  return {
    parameters: new Map(parametersOf(text)),
    fields: new Map(envelope === undefined ? fields : [...listed(envelope), ...inside("result", fields)])
  }
}

/** Returns the sections by their titles in lower case, without what is in parentheses. */
export const sectionsOf = (tables: string): ReadonlyMap<string, string> =>
  new Map(tables.split(/^#+ /m).map((text) => [/^[^\n(]*/.exec(text)?.[0].trim().toLowerCase() ?? "", text]))

/** Returns the cells of the rows of a table, without its header. */
export const rowsOf = (text = ""): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = ""]) =>
    row.split(" |").map((cell) => cell.trim())
  )

/** Returns the fields of a record: the rows of its table, and the lists of its sentences. */
const fieldsOf = (text = ""): ReadonlyArray<Specified> => [
  ...rowsOf(text).map(([name = "", words = ""]): Specified => [name, words]),
  ...[...text.matchAll(/^(?:(\w+) fields|Fields): (.*)\.$/gm)].flatMap(([, parent, list = ""]) =>
    inside(parent, listed(list))
  )
]

const inside = (parent: string | undefined, fields: ReadonlyArray<Specified>): ReadonlyArray<Specified> =>
  fields.map(([name, words]) => [parent === undefined ? name : `${parent}.${name}`, words])

const sentence =
  /(Path|Query)(?: parameters| \(all optional\))?:? (\w+(?: \([^)]*\))?(?:[,;] \w+(?: \([^)]*\))?)*)/g

/** Returns the parameters of an endpoint: the rows of its table, or the lists of its sentences. */
const parametersOf = (text: string): ReadonlyArray<Specified> => [
  ...rowsOf(text).map((
    [name = "", ...cells]
  ): Specified => [name, cells.filter((cell) => cell !== "").join("; ")]),
  ...[...text.matchAll(sentence)].flatMap(([, place = "", list = ""]) =>
    listed(list).filter(([name]) => name !== "all")
      .map(([name, words]): Specified => [name, `${place.toLowerCase()}; ${words}`])
  )
]

/** Returns what a list names: `a, b (string), c (object: d, e), f with g/h, i array, j as string`. */
const listed = (list: string): ReadonlyArray<Specified> => {
  const items = (list.replace(/, holding per chain: (.*)/, " (holding per chain: $1)")
    .replaceAll(", and ", ", ").replace(/ and (?=\w+ \(each )/, ", ")
    .match(/(?:[^,;()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []).map((item) => item.trim())
  return items.flatMap((item, at): ReadonlyArray<Specified> => {
    const [name = "", ...rest] = item.split(" ")
    // What follows the last of several items may be said of all of them
    const next = items.slice(at).find((item) => item.includes(" "))?.replace(/^\S+ /, "") ?? ""
    const words = (rest.join(" ") || (/^\((?:all|each) /.test(next) ? next : ""))
      .replace(/^\((.*)\)$/, "$1").replace(/^(?:as|all|each an|an) /, "")
    const [, type = words, members = ""] = /^(object|holding per chain|)(?::| ?with) (.*)$/.exec(words) ?? []
    return [
      [name, type.replace(/^strings$/, "string")],
      ...inside(name, listed(type === "" ? members.replaceAll("/", ", ") : members))
    ]
  })
}
