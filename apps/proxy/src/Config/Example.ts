/**
 * A document with every setting, to start from: what has a default is set to it, and the rest is an example behind `#`.
 * A `#` right before a word hides a setting; one with a space after it is a comment.
 */
import * as Outline from "./Outline.ts"
import * as Path from "./Path.ts"
import { variables } from "./Variables.ts"
import * as Yaml from "./Yaml.ts"

export const example = (): string =>
  [
    "# The settings of quarry-proxy. What is set here is what goes where nothing is set; remove the # before a",
    "# setting to use it. Variables go over this file, and options of the command line over both.",
    ...Outline.document.flatMap((field) => ["", ...lines(field, [], false)]),
    ""
  ].join("\n")

const lines = (
  field: Outline.Field,
  above: Path.Path,
  hidden: boolean
): ReadonlyArray<string> => {
  const { default: standard, inner, name } = field
  const path = [...above, name]
  const about = comment(field, path)
  switch (inner._tag) {
    case "Value": {
      const hash = hidden || standard === undefined ? "#" : ""
      return [...about, `${hash}${name}: ${Yaml.inline(standard ?? field.example)}`]
    }
    case "Section": {
      // What has to be said of it nobody can say for others.
      const inside = hidden || inner.fields.some(({ required }) => required)
      return [
        ...about,
        `${inside ? "#" : ""}${name}:`,
        ...inner.fields.flatMap((each) => lines(each, path, inside)).map((line) => `  ${line}`)
      ]
    }
    case "Sections":
      return [...about, `#${name}:`, ...item(inner.fields.map((each) => lines(each, [...path, 0], true)))]
  }
}

/** An element of a list: a dash before its first setting. */
const item = (settings: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  settings.flatMap((inside, index) =>
    inside.map((line) =>
      index > 0 ? `    ${line}` : line.startsWith("# ") ? `  ${line}` : `  #- ${line.slice(1)}`
    )
  )

const width = 100

const comment = ({ description }: Outline.Field, path: Path.Path): ReadonlyArray<string> => {
  const variable = variables.find((known) => Path.text(known.path) === Path.text(path))
  const words = [...description.split(" "), ...(variable === undefined ? [] : [`(${variable.name})`])]
  return words.reduce<ReadonlyArray<string>>((before, word) => {
    const last = before.at(-1)
    return last === undefined || last.length + word.length >= width - 2 * path.length
      ? [...before, `# ${word}`]
      : [...before.slice(0, -1), `${last} ${word}`]
  }, [])
}
