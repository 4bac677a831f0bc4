/** Prints the reference of all keys as Markdown tables. */
import { keys } from "../config/Config.ts"
import { type ConfigKey, encode, flatten } from "../config/ConfigKey.ts"
import { toInlineYaml } from "../config/YamlReader.ts"

/** One table per section, in the order of the file. Columns are aligned. */
export const referenceTable = (): string => {
  const all = flatten(keys)
  const sections = [
    {
      title: "Top level",
      description: "",
      rows: all.filter(({ kind, path }) => kind === "value" && path.length === 1)
    },
    ...all.filter(({ kind }) => kind !== "value").map((section) => ({
      title: `\`${section.path.join(".")}${section.kind === "list" ? "[]" : ""}\``,
      description: sentence(section),
      rows: section.keys.filter(({ kind }) => kind === "value")
    }))
  ].filter(({ rows }) => rows.length > 0)
  return sections
    .map(({ description, rows, title }) =>
      [`## ${title}`, ...(description === "" ? [] : [description]), table(rows)].join("\n\n")
    )
    .join("\n\n") + "\n"
}

const sentence = ({ description, variable }: ConfigKey): string =>
  variable === undefined ? description : `${description} Environment variable: \`${variable.name}\`.`

const table = (keys: ReadonlyArray<ConfigKey>): string => {
  const rows = [
    ["key", "default", "reload", "description"],
    ...keys.map((key) => [`\`${key.name}\``, defaultOf(key), reload(key), sentence(key)])
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>, fill: string) =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width, fill)).join(" | ")} |`
  const [head = [], ...body] = rows
  return [line(head, " "), line([], "-"), ...body.map((row) => line(row, " "))].join("\n")
}

const defaultOf = (key: ConfigKey): string =>
  key.default !== undefined
    ? `\`${toInlineYaml(encode(key, key.default))}\``
    : key.isRequired
    ? "required"
    : "not set"

const reload = ({ restart }: ConfigKey): string =>
  restart === undefined ? "yes" : restart === "always" ? "restart" : "restart without Redis"
