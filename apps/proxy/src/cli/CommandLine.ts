/** Reads the words of the command line, and answers those that ask for help or the version. Loads nothing of Effect. */
import { readWords, type WordProblem, type Words } from "@blockquarry/command-line/Words"
import { closestMatch } from "@blockquarry/core/Suggestion"
import { help, optionDescriptions } from "./Help.build.ts"

type Option = (typeof optionDescriptions)[number]

/** What `Arguments.ts` parses. */
export type CommandLine =
  | { readonly _tag: "Invalid"; readonly reason: string }
  | { readonly _tag: "Run" } & Pick<Words<Option>, "options" | "positionals">

export const read = (
  argv: ReadonlyArray<string>,
  version: string
): CommandLine | { readonly _tag: "Information"; readonly text: string } => {
  const { options, positionals, problems: [problem] } = readWords(
    optionDescriptions,
    // Package managers pass on the `--` that ends their own options
    argv[0] === "--" ? argv.slice(1) : argv,
    (word) => !/^-./s.test(word)
  )
  if (problem !== undefined) return { _tag: "Invalid", reason: describe(problem) }
  if (options.has("help") || positionals.join(" ") === "help") return { _tag: "Information", text: help }
  if (options.has("version")) return { _tag: "Information", text: version }
  return { _tag: "Run", options, positionals }
}

const describe = (problem: WordProblem<Option>): string => {
  if (problem._tag === "UnknownOption") {
    const suggestion = problem.flag.startsWith("--")
      ? closestMatch(problem.flag.slice(2), optionDescriptions.map(({ name }) => name))
      : undefined
    return `Unknown option '${problem.flag}'${
      suggestion === undefined ? "" : `; did you mean --${suggestion}?`
    }`
  }
  const { alias, name, value } = problem.option
  const label = `${alias === undefined ? "" : `-${alias}, `}--${name}${value === null ? "" : " <value>"}`
  if (problem._tag === "InvalidValue") return `Option '${label}' does not take an argument`
  const { flag, next } = problem
  return next === undefined ? `Option '${label}' argument missing` : [
    `Option '${flag}' argument is ambiguous.`,
    `Did you forget to specify the option argument for '${flag}'?`,
    `To specify an option argument starting with a dash use '--${name}=-XYZ'${
      flag === `--${name}` ? "" : ` or '${flag}-XYZ'`
    }.`
  ].join("\n")
}
