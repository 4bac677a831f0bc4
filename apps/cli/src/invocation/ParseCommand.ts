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
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { type ArgumentValues, isSet, stdinArgument } from "../args/ArgumentValues.ts"
import { oneOf } from "../args/Checks.ts"
import { commandUsage } from "../args/CommandDescription.ts"
import { type CommandArgument, type CommandOption, paragraphsOf } from "../args/CommandOption.ts"
import { describeArgument, describeOption } from "../args/DescribeCommand.ts"
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

/** An option that a command line sets, in the form that the parser expects. */
interface GivenOption {
  readonly option: CommandOption
  readonly words: Words
}

export const parseCommand = (
  spec: CommandSpec,
  { args, command, options }: ArrangedCommand
): Effect.Effect<ArgumentValues, UsageError> =>
  Effect.gen(function*() {
    // In their order, and without the others: the parser takes as long for an option that is not set
    const given = [...options].flatMap(([name, values]): ReadonlyArray<GivenOption> => {
      const option = [...spec.options, ...globalOptions].find((option) => option.name === name)
      return option === undefined ? [] : [{ option, words: values.flatMap((value) => [`--${name}`, value]) }]
    })
    const expected = expectedArguments(spec.arguments, args, options)
    const name = spec.path.join(" ")
    const parsed = yield* CommandDescriptor.make(
      name,
      Options.all(given.map(({ option }) => option.options)),
      Args.all(expected.map(({ args }) => args))
    ).pipe(
      CommandDescriptor.parse([name, ...given.flatMap(({ words }) => words), "--", ...args], config),
      Effect.option
    )
    if (
      parsed._tag === "None" || !CommandDirective.isUserDefined(parsed.value) ||
      parsed.value.leftover.length > 0
    ) {
      const usage = `usage: quarry ${commandUsage(command)}`
      return yield* Effect.zipRight(findArgumentError(expected, args, usage), findOptionError(given))
    }
    const { value } = parsed.value
    const values = new Map([
      ...given.map(({ option }, index) => [option.name, value.options[index] ?? []] as const),
      ...expected.map(({ name }, index) => [name, value.args[index] ?? []] as const)
    ].filter(([, words]) => words.length > 0))
    for (const { option: { conflictsWith = [], name } } of given) {
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

/** Returns the arguments of a command line. Those that it replaces may be missing. */
const expectedArguments = (
  specs: ReadonlyArray<CommandArgument>,
  args: Words,
  options: ArgumentValues
): ReadonlyArray<CommandArgument> => {
  // The list of the fields needs no records, and `-` reads the arguments from stdin
  const isNeeded = options.get("fields")?.includes("help") !== true
  const isReplaced = ({ replacedBy }: CommandArgument) =>
    replacedBy !== undefined && (options.has(replacedBy) || args.includes(stdinArgument))
  return specs.map((spec) =>
    isNeeded && !isReplaced(spec) ? spec : { ...spec, args: Args.withDefault(spec.args, []) }
  )
}

/** Asks each argument alone, and fails with the first one that is missing, or with a word that is none. */
const findArgumentError = (specs: ReadonlyArray<CommandArgument>, args: Words, usage: string) =>
  Effect.gen(function*() {
    let rest = args
    for (const spec of specs) {
      const parsed = yield* Effect.either(Args.validate(spec.args, rest, config))
      if (Either.isLeft(parsed)) {
        return yield* new UsageError({
          reason: `missing argument <${spec.name}>: ${describeArgument(spec).description}`,
          hint: usage
        })
      }
      rest = parsed.right[0]
    }
    const [unexpected] = rest
    if (unexpected !== undefined) {
      return yield* new UsageError({
        // Does not repeat it without need: `quarry auth login <key>`
        reason: specs.length === 0
          ? `${usage.replace("usage: ", "")} takes no arguments`
          : `unexpected argument ${JSON.stringify(unexpected)}`,
        hint: usage
      })
    }
  })

/** Asks each option alone, and fails with the first one that is invalid: the parser does not name it. */
const findOptionError = (given: ReadonlyArray<GivenOption>) =>
  Effect.gen(function*() {
    for (const { option, words } of given) {
      const parsed = yield* Effect.either(Options.processCommandLine(option.options, words, config))
      if (Either.isRight(parsed)) continue
      const { choices } = describeOption(option)
      const [, value = ""] = words
      const problem = option.choices === undefined && choices !== undefined ? oneOf(choices)(value) : null
      const [message = "", hint = null] = problem === null
        ? paragraphsOf(parsed.left.error)
        : [problem.message, problem.hint]
      return yield* new UsageError({ reason: `--${option.name}: ${message}`, hint })
    }
    return yield* Effect.dieMessage("the parser rejects options that are valid")
  })
