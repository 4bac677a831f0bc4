/** Parses the options and arguments of a command with `@effect/cli`. */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as CommandDirective from "@effect/cli/CommandDirective"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ArgumentValues, isSet, singleValue, stdinArgument } from "../args/ArgumentValues.ts"
import { type ArgumentDescription, commandUsage } from "../args/CommandDescription.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import { globalOptions } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { ArrangedCommand } from "./Arrange.ts"
import type { CommandSpec } from "./CommandSpec.ts"

const config = CliConfig.make({
  isCaseSensitive: true,
  // No option is unknown here, so that distances to known ones are of no use
  autoCorrectLimit: Number.POSITIVE_INFINITY
})

/** What the parser would ask for options that are files or prompts. There are none. */
const unused = Layer.mergeAll(FileSystem.layerNoop({}), Path.layer, Layer.mock(Terminal.Terminal, {}))

type Words = ReadonlyArray<string>

export const parseCommand = (
  spec: CommandSpec,
  { args, command, options }: ArrangedCommand
): Effect.Effect<ArgumentValues, UsageError> =>
  Effect.gen(function*() {
    // In their order, and without the others: the parser takes as long for an option that is not set
    const given = [...options.keys()].flatMap((name) =>
      [...spec.options, ...globalOptions].find((option) => option.name === name) ?? []
    )
    const expected = expectedArguments(spec.arguments, args, options)
    const name = spec.path.join(" ")
    const words = given.flatMap(({ name }) =>
      options.get(name)?.flatMap((value) => [`--${name}`, value]) ?? []
    )
    const parsed = yield* CommandDescriptor.make(
      name,
      Options.all(given.map(parserOf)),
      Args.all(expected.map(argumentParser))
    ).pipe(CommandDescriptor.parse([name, ...words, "--", ...args], config), Effect.option)
    if (
      parsed._tag === "None" || !CommandDirective.isUserDefined(parsed.value) ||
      parsed.value.leftover.length > 0
    ) {
      return yield* argumentError(expected, args, `usage: quarry ${commandUsage(command)}`)
    }
    const { value } = parsed.value
    const values = new Map([
      ...given.map(({ name }, index) => [name, value.options[index] ?? []] as const),
      ...expected.map(({ name }, index) => [name, value.args[index] ?? []] as const)
    ].filter(([, words]) => words.length > 0))
    for (const { check = () => null, conflictsWith = [], name } of given) {
      const problem = check(singleValue(values, name) ?? "")
      if (problem !== null) {
        return yield* new UsageError({ reason: `--${name}: ${problem.message}`, hint: problem.hint })
      }
      const other = isSet(values, name) ? conflictsWith.find((other) => isSet(values, other)) : undefined
      if (other !== undefined) {
        return yield* new UsageError({
          reason: `--${name} and --${other} are mutually exclusive`,
          hint: "omit one of them"
        })
      }
    }
    return values
  }).pipe(Effect.provide(unused))

/** The parser of an option. The word after a switch is true or false. */
const parserOf = ({ name, repeatable, value }: CommandOption): Options.Options<Words> => {
  if (repeatable) return Options.repeated(Options.text(name))
  return value === null
    ? Options.map(Options.boolean(name), (isOn) => [String(isOn)])
    : Options.map(Options.text(name), (text) => [text])
}

const argumentParser = ({ name, optional, repeatable }: ArgumentDescription): Args.Args<Words> => {
  const text = Args.text({ name })
  const one = Args.map(text, (word): Words => [word])
  return repeatable ? Args.repeated(text) : optional ? Args.withDefault(one, []) : one
}

/** Returns the arguments of a command line. Those that it replaces may be missing. */
const expectedArguments = (
  specs: ReadonlyArray<ArgumentDescription>,
  args: Words,
  options: ArgumentValues
): ReadonlyArray<ArgumentDescription> => {
  // The list of the fields needs no records, and `-` reads the arguments from stdin
  const isNeeded = options.get("fields")?.includes("help") !== true
  const isReplaced = ({ replacedBy }: ArgumentDescription) =>
    replacedBy !== undefined && (options.has(replacedBy) || args.includes(stdinArgument))
  return specs.map((spec) => isNeeded && !isReplaced(spec) ? spec : { ...spec, optional: true })
}

/** Returns the error of the first argument that is missing, or of a word that is none: the parser does not name it. */
const argumentError = (specs: ReadonlyArray<ArgumentDescription>, args: Words, usage: string): UsageError => {
  const missing = specs.filter(({ optional }) => !optional)[args.length]
  return new UsageError({
    reason: missing !== undefined
      ? `missing argument <${missing.name}>: ${missing.description}`
      // Does not repeat it without need: `quarry auth login <key>`
      : specs.length === 0
      ? `${usage.replace("usage: ", "")} takes no arguments`
      : `unexpected argument ${JSON.stringify(args[specs.length])}`,
    hint: usage
  })
}
