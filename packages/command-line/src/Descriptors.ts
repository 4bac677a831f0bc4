/**
 * Descriptors of options, and what they say as plain data: help, completions, manual pages and `Words.ts` read that. Programs
 * compute the data when they are bundled, so that they do not load `@effect/cli` for it.
 */
import * as Args from "@effect/cli/Args"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import type * as Usage from "@effect/cli/Usage"
import * as Option from "effect/Option"
import type { OptionWords } from "./Words.ts"

export interface OptionDescription extends OptionWords {
  readonly description: string
  /** Whether all values of the option count. */
  readonly repeatable: boolean
}

export interface ArgumentDescription {
  readonly name: string
  readonly description: string
  readonly optional: boolean
  /** Whether the argument takes all words that remain. */
  readonly repeatable: boolean
}

/** An option with a value, whose name help shows. `alias` is a letter for the short form. */
export const text = (
  name: string,
  value: string,
  description: string,
  alias?: string
): Options.Options<string> => {
  const option = Options.text(name).pipe(Options.withPseudoName(value), Options.withDescription(description))
  return alias === undefined ? option : Options.withAlias(option, alias)
}

/** An option without a value. `--no-NAME` turns a negatable one off. */
export const flag = (
  name: string,
  description: string,
  alias?: string,
  isNegatable = false
): Options.Options<boolean> =>
  Options.boolean(name, {
    aliases: alias === undefined ? [] : [alias],
    negationNames: isNegatable ? [`no-${name}`] : []
  }).pipe(Options.withDescription(description))

interface Named {
  readonly names: ReadonlyArray<string>
  readonly value: string | null
  readonly optional: boolean
  readonly repeatable: boolean
  /** The place in an alternative of two names, of which the second one turns a switch off. */
  readonly side: "left" | "right" | null
}

/** Returns what a usage names, in order. */
const namedIn = (usage: Usage.Usage, context: Omit<Named, "names" | "value">): ReadonlyArray<Named> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return [{ ...context, names: usage.names, value: Option.getOrNull(usage.acceptedValues) }]
    case "Optional":
      return namedIn(usage.usage, { ...context, optional: true })
    case "Repeated":
      return namedIn(usage.usage, { ...context, optional: true, repeatable: true })
    case "Alternation":
      return (["left", "right"] as const).flatMap((side) => namedIn(usage[side], { ...context, side }))
    case "Concat":
      return [...namedIn(usage.left, context), ...namedIn(usage.right, context)]
  }
}

/** Returns the texts in a document by definition: about the type of a value, and the description. */
const textsIn = (doc: HelpDoc.HelpDoc): ReadonlyArray<ReadonlyArray<string>> => {
  switch (doc._tag) {
    case "Sequence":
      return [...textsIn(doc.left), ...textsIn(doc.right)]
    case "DescriptionList":
      return doc.definitions.map(([, definition]) => textsIn(definition).flat())
    case "Paragraph":
      return doc.value._tag === "Text" ? [[doc.value.value]] : []
    default:
      return []
  }
}

/** Returns what a usage names, with the descriptions in its help, which has the same order. */
const describe = (usage: Usage.Usage, help: HelpDoc.HelpDoc) => {
  const texts = textsIn(help)
  return namedIn(usage, { optional: false, repeatable: false, side: null }).map((named, index) => ({
    ...named,
    description: texts[index]?.[1] ?? ""
  }))
}

/** Returns what descriptors of options say, in order. */
export const describeOptions = (options: Options.Options<unknown>): ReadonlyArray<OptionDescription> =>
  describe(Options.getUsage(options), Options.getHelp(options)).filter(({ side }) => side !== "right").map(
    ({ description, names, repeatable, side, value }) => ({
      name: names.find((name) => name.startsWith("--"))?.slice(2) ?? "",
      alias: names.find((name) => !name.startsWith("--"))?.slice(1),
      value,
      ...side === "left" ? { isNegatable: true } : {},
      description,
      repeatable
    })
  )

/** Returns what descriptors of arguments say, in order. */
export const describeArguments = (args: Args.Args<unknown>): ReadonlyArray<ArgumentDescription> =>
  describe(Args.getUsage(args), Args.getHelp(args)).map(({ description, names, optional, repeatable }) => ({
    // In angle brackets
    name: names[0]?.slice(1, -1) ?? "",
    description,
    optional,
    repeatable
  }))
