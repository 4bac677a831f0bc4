/** Reads the descriptions of options and arguments from those of `@effect/cli`, when the program is bundled. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import type * as Usage from "@effect/cli/Usage"
import * as Option from "effect/Option"
import type { ArgumentDescription, OptionDescription } from "./CommandDescription.ts"
import { type CommandArgument, type CommandOption, paragraphsOf, withValues } from "./CommandOption.ts"

interface NamedUsage {
  readonly names: ReadonlyArray<string>
  /** The values, or their name; null for a switch. */
  readonly value: string | null
  readonly optional: boolean
  readonly repeatable: boolean
}

const namedUsage = (usage: Usage.Usage): NamedUsage => {
  switch (usage._tag) {
    case "Named":
      return {
        names: usage.names,
        value: Option.getOrNull(usage.acceptedValues),
        optional: false,
        repeatable: false
      }
    case "Optional":
      return { ...namedUsage(usage.usage), optional: true }
    case "Repeated":
      return { ...namedUsage(usage.usage), optional: true, repeatable: true }
    default:
      throw new Error(`an option or argument has the usage ${usage._tag}`)
  }
}

/** The paragraphs are what the type says, the description, and what the usage says. */
const descriptionIn = (paragraphs: ReadonlyArray<string>): string => paragraphs[1] ?? ""

/** Inserts the values that a description does not name. */
const withChoices = (description: string, choices: ReadonlyArray<string> = []): string =>
  choices.every((choice) => description.includes(choice))
    ? description
    : withValues(description, choices.join(", "))

export const describeOption = (
  { choices: known, completes, group = "command", isCommon = false, name, options, value: valueName }:
    CommandOption
): OptionDescription => {
  const { names, repeatable, value } = namedUsage(Options.getUsage(options))
  const choices = known ?? (value?.includes(" | ") === true ? value.split(" | ") : undefined)
  return {
    name,
    alias: names.find((name) => !name.startsWith("--"))?.slice(1),
    group,
    value: valueName ?? value,
    description: withChoices(descriptionIn(paragraphsOf(Options.getHelp(options))), choices),
    choices,
    completes,
    repeatable,
    isCommon
  }
}

export const describeArgument = (
  { args, choices, completes, name, replacedBy }: CommandArgument
): ArgumentDescription => {
  const { optional, repeatable } = namedUsage(Args.getUsage(args))
  const description = withChoices(descriptionIn(paragraphsOf(Args.getHelp(args))), choices)
  return { name, description, choices, completes, optional, repeatable, replacedBy }
}
