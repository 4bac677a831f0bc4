/**
 * Prints a configuration file to start from. Keys with a default are set to it; the others are examples behind a `#`.
 * A `#` directly before a word hides a key, and one with a space after it begins a comment.
 */
import { keys } from "./Config.ts"
import { type ConfigKey, encode } from "./ConfigKey.ts"
import { toInlineYaml } from "./YamlReader.ts"

export const renderExample = (): string =>
  [
    "# The configuration of quarry-proxy. The values are the defaults. To set another key, remove the # before it.",
    "# Environment variables take precedence over this file, and options of the command line over both.",
    ...keys.flatMap((key) => ["", ...lines(key, 0, false)]),
    ""
  ].join("\n")

const lines = (key: ConfigKey, depth: number, isHidden: boolean): ReadonlyArray<string> => {
  const { keys, kind, name } = key
  if (kind === "value") {
    const isExample = key.default === undefined
    const value = isExample ? key.example : encode(key, key.default)
    return [...comment(key, depth), `${isHidden || isExample ? "#" : ""}${name}: ${toInlineYaml(value)}`]
  }
  if (kind === "list") {
    return [...comment(key, depth), `#${name}:`, ...keys.flatMap((key, index) => element(key, depth, index))]
  }
  // Required keys have no defaults.
  const hidden = isHidden || keys.some(({ isRequired }) => isRequired)
  const inner = keys.flatMap((key) => lines(key, depth + 1, hidden)).map((line) => `  ${line}`)
  return [...comment(key, depth), `${hidden ? "#" : ""}${name}:`, ...inner]
}

/** An element of a list has a dash before its first key. */
const element = (key: ConfigKey, depth: number, index: number): ReadonlyArray<string> =>
  lines(key, depth + 2, true).map((line) =>
    index > 0 ? `    ${line}` : line.startsWith("# ") ? `  ${line}` : `  #- ${line.slice(1)}`
  )

const maxWidth = 100

const comment = ({ description, variable }: ConfigKey, depth: number): ReadonlyArray<string> => {
  const text = variable === undefined ? description : `${description} (${variable.name})`
  const lines = text.match(new RegExp(`\\S.{0,${maxWidth - 2 * depth - 3}}(?= |$)`, "g")) ?? []
  return lines.map((line) => `# ${line}`)
}
