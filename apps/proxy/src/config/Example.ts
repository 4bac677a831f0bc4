/**
 * A document with every setting, to start from: what has a default is set to it, and the rest is an example behind `#`.
 * A `#` right before a word hides a setting; one with a space after it is a comment.
 */
import * as ConfigPath from "./ConfigPath.ts"
import { variableBindings } from "./EnvironmentVariables.ts"
import * as SchemaFields from "./SchemaFields.ts"
import * as YamlReader from "./YamlReader.ts"

export const renderExample = (): string =>
  [
    "# The settings of quarry-proxy. What is set here is what goes where nothing is set; remove the # before a",
    "# setting to use it. Variables go over this file, and options of the command line over both.",
    ...SchemaFields.documentFields.flatMap((field) => ["", ...lines(field, [], false)]),
    ""
  ].join("\n")

const lines = (
  field: SchemaFields.SettingField,
  parentPath: ConfigPath.ConfigPath,
  commentedOut: boolean
): ReadonlyArray<string> => {
  const { default: defaultValue, kind, name } = field
  const path = [...parentPath, name]
  const commentLines = comment(field, path)
  switch (kind._tag) {
    case "Value": {
      const prefix = commentedOut || defaultValue === undefined ? "#" : ""
      return [...commentLines, `${prefix}${name}: ${YamlReader.toInlineYaml(defaultValue ?? field.example)}`]
    }
    case "Section": {
      // What has to be said of it nobody can say for others.
      const childrenCommentedOut = commentedOut || kind.fields.some(({ required }) => required)
      return [
        ...commentLines,
        `${childrenCommentedOut ? "#" : ""}${name}:`,
        ...kind.fields.flatMap((each) => lines(each, path, childrenCommentedOut)).map((line) => `  ${line}`)
      ]
    }
    case "Sections":
      return [
        ...commentLines,
        `#${name}:`,
        ...item(kind.fields.map((each) => lines(each, [...path, 0], true)))
      ]
  }
}

/** An element of a list: a dash before its first setting. */
const item = (settings: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  settings.flatMap((inside, index) =>
    inside.map((line) =>
      index > 0 ? `    ${line}` : line.startsWith("# ") ? `  ${line}` : `  #- ${line.slice(1)}`
    )
  )

const maxLineWidth = 100

const comment = (
  { description }: SchemaFields.SettingField,
  path: ConfigPath.ConfigPath
): ReadonlyArray<string> => {
  const variable = variableBindings.find((known) =>
    ConfigPath.formatPath(known.path) === ConfigPath.formatPath(path)
  )
  const words = [...description.split(" "), ...(variable === undefined ? [] : [`(${variable.name})`])]
  return words.reduce<ReadonlyArray<string>>((before, word) => {
    const last = before.at(-1)
    return last === undefined || last.length + word.length >= maxLineWidth - 2 * path.length
      ? [...before, `# ${word}`]
      : [...before.slice(0, -1), `${last} ${word}`]
  }, [])
}
