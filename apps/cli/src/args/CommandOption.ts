/** Options and arguments of commands: how `@effect/cli` parses them, and what it has no words for. */
import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { type Check, integerBetween } from "./Checks.ts"
import type { ArgumentDescription, OptionDescription } from "./CommandDescription.ts"

type Words = ReadonlyArray<string>

interface OptionDetails
  extends Partial<Pick<OptionDescription, "group" | "choices" | "completes" | "isCommon">>
{
  /** The name of the value in help, in place of choices. */
  readonly value?: string
  /** The names of options that a command line with this one must not set. */
  readonly conflictsWith?: ReadonlyArray<string>
}

export interface CommandOption extends OptionDetails {
  /** Without the dashes. */
  readonly name: string
  /** The words of the option: "true" or "false" for a switch, and none if it is not set and no switch. */
  readonly options: Options.Options<Words>
}

/** Describes an option. All values are texts, because the environment and configuration files set them too. */
const commandOption = (
  options: Options.Options<string | boolean | Words>,
  details: OptionDetails = {}
): CommandOption => ({
  ...details,
  name: Option.getOrThrow(Options.getIdentifier(options)).replace("--", ""),
  options: Options.map(
    Options.optional(options),
    Option.match({
      onNone: (): Words => [],
      onSome: (value) => typeof value === "object" ? value : [String(value)]
    })
  )
})

export const isSwitch = ({ options }: CommandOption): boolean => Options.isBool(options)

/** Rejects invalid values with what is wrong and, in a second paragraph, what to do about it. */
const checked = (check: Check) =>
  Options.mapEffect((value: string) => {
    const problem = check(value)
    return problem === null ? Effect.succeed(value) : Effect.fail(ValidationError.invalidValue(
      HelpDoc.blocks(
        [problem.message, ...problem.hint === null ? [] : [problem.hint]].map((text) => HelpDoc.p(text))
      )
    ))
  })

/** Inserts the valid values into a description, before a remark such as "(default: 0)". */
export const withValues = (description: string, values: string): string =>
  description.replace(/(?: \(.*)?$/, (remark) => `: ${values}${remark}`)

interface NamedOption extends OptionDetails {
  /** A letter for the short form, `-o`. */
  readonly alias?: string
}

/** An option with a choice of values. `value` is the name of the value in help. */
export const choiceOption = (
  name: string,
  value: string,
  choices: ReadonlyArray<string>,
  description: string,
  details: OptionDetails = {}
): CommandOption =>
  commandOption(Options.withDescription(Options.choice(name, choices), description), { ...details, value })

/** An option without a value. `--no-NAME` turns it off. */
export const switchOption = (
  name: string,
  description: string,
  { alias, ...details }: NamedOption = {}
): CommandOption =>
  commandOption(
    Options.boolean(name, { aliases: alias === undefined ? [] : [alias] }).pipe(
      Options.withDescription(description)
    ),
    details
  )

interface TextOption extends NamedOption {
  readonly check?: Check
  /** Whether all values of the option count. Default: the last one wins. */
  readonly isRepeatable?: boolean
}

export const textOption = (
  name: string,
  value: string,
  description: string,
  { alias, check = () => null, isRepeatable = false, ...details }: TextOption = {}
): CommandOption => {
  const text = Options.text(name).pipe(
    Options.withPseudoName(value),
    Options.withDescription(description),
    alias === undefined ? identity : Options.withAlias(alias)
  )
  return commandOption(isRepeatable ? Options.repeated(text) : checked(check)(text), details)
}

/** An option whose value is an integer. Its description states the range. */
export const integerOption = (
  name: string,
  [min, max]: readonly [min: number, max: number],
  description: string,
  { hint, value = "number", ...details }: NamedOption & { readonly hint?: (value: string) => string | null } =
    {}
): CommandOption =>
  textOption(name, value, withValues(description, `${min} to ${max}`), {
    ...details,
    check: integerBetween(min, max, hint)
  })

/** The largest number of records that a command can be limited to. */
export const maxRecords = 1_000_000_000

type ArgumentDetails = Pick<ArgumentDescription, "choices" | "completes" | "replacedBy">

export interface CommandArgument extends ArgumentDetails {
  readonly name: string
  readonly args: Args.Args<Words>
}

/** Describes an argument. Those that are repeatable take all words that remain, or none. */
export const commandArgument = (
  name: string,
  description: string,
  { isOptional = false, isRepeatable = false, ...details }: ArgumentDetails & {
    readonly isOptional?: boolean
    readonly isRepeatable?: boolean
  } = {}
): CommandArgument => {
  const text = Args.text({ name }).pipe(Args.withDescription(description))
  const one = Args.map(text, (word): Words => [word])
  return {
    ...details,
    name,
    args: isRepeatable ? Args.repeated(text) : isOptional ? Args.withDefault(one, []) : one
  }
}

/** Returns the texts of the paragraphs of a document. */
export const paragraphsOf = (doc: HelpDoc.HelpDoc): Words => {
  switch (doc._tag) {
    case "Paragraph":
      return doc.value._tag === "Text" ? [doc.value.value] : []
    case "Sequence":
      return [...paragraphsOf(doc.left), ...paragraphsOf(doc.right)]
    case "DescriptionList":
      return doc.definitions.flatMap(([, definition]) => paragraphsOf(definition))
    default:
      return []
  }
}
