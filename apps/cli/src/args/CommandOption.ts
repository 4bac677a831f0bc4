/** Options and arguments of commands: what their descriptors for `@effect/cli` say, and what help and completions know besides. */
import * as Descriptors from "@blockquarry/command-line/Descriptors"
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { type Check, integerBetween, oneOf } from "./Checks.ts"
import type { ArgumentDescription, OptionDescription } from "./CommandDescription.ts"

export interface CommandOption extends OptionDescription {
  readonly check?: Check | undefined
  /** The names of options that a command line with this one must not set. */
  readonly conflictsWith?: ReadonlyArray<string> | undefined
  /** The name of an option that a command line with this one must set. */
  readonly requires?: string | undefined
}

type Details = Partial<
  Pick<
    CommandOption,
    "alias" | "group" | "choices" | "completes" | "isCommon" | "check" | "conflictsWith" | "requires"
  >
>

/** Returns what a descriptor says, with details. */
const describe = (descriptor: Options.Options<unknown>, details: Details): CommandOption => {
  const [description] = Descriptors.describeOptions(descriptor)
  if (description === undefined) throw new Error("a descriptor without an option")
  return { group: "command", isCommon: false, ...details, ...description }
}

/** Inserts the valid values into a description, before a remark such as "(default: 0)". */
const withValues = (description: string, values: string): string =>
  description.replace(/(?: \(.*)?$/s, (remark) => `: ${values}${remark}`)

/** Inserts the choices that a description does not name. */
const withChoices = (description: string, choices: ReadonlyArray<string> = []): string =>
  choices.every((choice) => description.includes(choice))
    ? description
    : withValues(description, choices.join(", "))

/** An option with a value, whose name help shows. All values are texts, because the environment and files set them too. */
export const textOption = (
  name: string,
  value: string,
  description: string,
  { alias, isRepeatable = false, ...details }: Details & {
    /** Whether all values of the option count. Default: the last one wins. */
    readonly isRepeatable?: boolean
  } = {}
): CommandOption => {
  const text = Descriptors.text(name, value, withChoices(description, details.choices), alias)
  return describe(isRepeatable ? Options.repeated(text) : text, details)
}

export const choiceOption = (
  name: string,
  value: string,
  choices: ReadonlyArray<string>,
  description: string,
  details: Details = {}
): CommandOption => textOption(name, value, description, { ...details, choices, check: oneOf(choices) })

/** An option without a value. `--no-NAME` turns it off. */
export const switchOption = (
  name: string,
  description: string,
  details: Details = {}
): CommandOption =>
  describe(Descriptors.flag(name, withChoices(description, details.choices), details.alias, true), details)

/** An option whose value is an integer. Its description states the range. */
export const integerOption = (
  name: string,
  [min, max]: readonly [min: number, max: number],
  description: string,
  { hint, value = "number", ...details }: Details & {
    readonly value?: string
    readonly hint?: (value: string) => string | null
  } = {}
): CommandOption =>
  textOption(name, value, withValues(description, `${min} to ${max}`), {
    ...details,
    check: integerBetween(min, max, hint)
  })

/** The largest number of records that a command can be limited to. */
export const maxRecords = 1_000_000_000

/** An argument. Those that are repeatable take all words that remain, or none. */
export const commandArgument = (
  name: string,
  description: string,
  { isOptional = false, isRepeatable = false, ...notes }:
    & Pick<ArgumentDescription, "choices" | "completes">
    & { readonly isOptional?: boolean; readonly isRepeatable?: boolean } = {}
): ArgumentDescription => {
  const text = Args.withDescription(Args.text({ name }), withChoices(description, notes.choices))
  const [argument] = Descriptors.describeArguments(
    isRepeatable ? Args.repeated(text) : isOptional ? Args.optional(text) : text
  )
  if (argument === undefined) throw new Error("a descriptor without an argument")
  return { ...notes, ...argument }
}
