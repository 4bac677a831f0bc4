/** Options of commands that read many inputs. */
import { type ArgumentValues, stdinArgument } from "../args/ArgumentValues.ts"
import { severalChains } from "../args/Chains.ts"
import type { ArgumentDescription } from "../args/CommandDescription.ts"
import { type CommandOption, integerOption, textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"

export const defaultConcurrency = 4

const fromOption = textOption(
  "from",
  "file",
  "Read the missing arguments from a file, one input per line (- for stdin)",
  { group: "input", isCommon: true, completes: "file" }
)

const columnOption = textOption(
  "from-column",
  "column",
  "Read CSV with a header, or NDJSON: name or number of the column of each missing argument",
  { isRepeatable: true, group: "input" }
)

const concurrencyOption = integerOption(
  "concurrency",
  [1, 64],
  `Number of inputs to read at the same time (default: ${defaultConcurrency})`,
  { group: "input" }
)

export const inputOptions: ReadonlyArray<CommandOption> = [fromOption, columnOption, concurrencyOption]

const positionOption = textOption(
  "cursor",
  "position",
  "Continue many inputs at the position that an interrupted command printed",
  { group: "input" }
)

/** Options of commands with one record for each input. In a list the cursor of the list is the position. */
export const recordInputOptions: ReadonlyArray<CommandOption> = [...inputOptions, positionOption]

/** Lets `--from`, or the argument `-`, replace arguments. */
export const replaceable = (specs: ReadonlyArray<ArgumentDescription>): ReadonlyArray<ArgumentDescription> =>
  specs.map((spec) => ({ ...spec, replacedBy: fromOption.name }))

/** Returns the arguments that the lines of the input contain: those that are missing or `-`. */
export const argumentsOfLines = (
  specs: ReadonlyArray<ArgumentDescription>,
  values: ArgumentValues
): ReadonlyArray<string> =>
  specs.map(({ name }) => name).filter((name) => (values.get(name) ?? [stdinArgument])[0] === stdinArgument)

/** Returns whether a command line selects many inputs: lines of a text, several chains, or both. */
export const readsInputs = (
  { command, values }: Pick<CommandInvocation, "command" | "values">
): boolean =>
  severalChains(values) !== null ||
  command.options.some((option) => recordInputOptions.includes(option) && values.has(option.name)) ||
  command.arguments.some(({ name, replacedBy }) =>
    replacedBy === fromOption.name && values.get(name)?.[0] === stdinArgument
  )

/** The error for an option that a command with many inputs does not accept. */
export const unavailableForInputs = (option: string, values: ArgumentValues): UsageError =>
  new UsageError(
    severalChains(values) === null
      ? { reason: `--${option} is not available for many inputs`, hint: "run the command for one input" }
      : { reason: `--${option} is not available for several chains`, hint: "run the command for one chain" }
  )
