/** Reads the words of the command line, and answers those that ask for help or the version. Loads nothing of Effect. */
import { readWords, type Words } from "@blockquarry/command-line/Words"
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
    argv[0] === "--" ? argv.slice(1) : argv
  )
  if (problem?._tag === "UnknownOption") {
    const names = optionDescriptions.map(({ name }) => `--${name}`)
    const suggestion = problem.flag.startsWith("--") ? closestMatch(problem.flag, names) : undefined
    const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`
    return { _tag: "Invalid", reason: `Unknown option '${problem.flag}'${hint}` }
  }
  const invalid = problem?.option ?? optionDescriptions.find(({ name }) => options.get(name)?.at(-1) === "")
  if (invalid !== undefined) {
    const { alias, name, value } = invalid
    const label = `${alias === undefined ? "" : `-${alias}, `}--${name}${value === null ? "" : " <value>"}`
    const reason = value === null ? "does not take an argument" : "argument missing"
    return { _tag: "Invalid", reason: `Option '${label}' ${reason}` }
  }
  if (options.has("help") || positionals.join(" ") === "help") return { _tag: "Information", text: help }
  if (options.has("version")) return { _tag: "Information", text: version }
  return { _tag: "Run", options, positionals }
}
