/**
 * Describes commands as plain data, which the bundle contains as JSON: help, completions and the order of the words of a
 * command line need nothing else. The program loads the spec (`CommandSpec.ts`) of the command to run.
 */
import type * as Descriptors from "@blockquarry/command-line/Descriptors"
import type { ApiName } from "@blockquarry/core/Operation"

export const optionGroups = ["command", "input", "output", "export", "connection", "global"] as const

type OptionGroup = (typeof optionGroups)[number]

/** What a shell completes for a value that has no fixed choices. */
type CompletionSource = "file" | "directory" | "field" | "profile" | "alias" | "command" | "setting"

export interface OptionDescription extends Descriptors.OptionDescription {
  readonly group: OptionGroup
  /** Values that completions list. */
  readonly choices?: ReadonlyArray<string> | undefined
  readonly completes?: CompletionSource | undefined
  /** Whether it is one of the options that help always lists. */
  readonly isCommon: boolean
}

export interface ArgumentDescription extends Descriptors.ArgumentDescription {
  readonly choices?: ReadonlyArray<string> | undefined
  readonly completes?: CompletionSource | undefined
  /** The option that may replace the argument, without the dashes. */
  readonly replacedBy?: string | undefined
}

export interface CommandDescription {
  /** The words of the command, at least one. For example `["wallet", "transfers"]`. */
  readonly path: ReadonlyArray<string>
  readonly operation: string | null
  /** Whether the command changes state at the upstream. */
  readonly isUpdate: boolean
  /** The API that the command calls; `any` if the arguments decide; null if it calls none. */
  readonly api: ApiName | "any" | null
  readonly summary: string
  readonly knownIssue?: string | undefined
  /** Further paragraph of help. */
  readonly note?: string | undefined
  /** Whether the command runs although configuration files or variables are invalid, for example to correct them. */
  readonly allowsInvalidConfiguration?: boolean
  /** Whether the command may create the profile that `--profile` names. */
  readonly allowsUnknownProfile?: boolean
  /** Arguments and options of the examples, without `quarry` and the path. */
  readonly examples: ReadonlyArray<string>
  /** Whether the command runs until it is interrupted, for example a server. */
  readonly runsUntilInterrupted?: boolean
  readonly arguments: ReadonlyArray<ArgumentDescription>
  readonly options: ReadonlyArray<OptionDescription>
  /** The names of the fields of its records. */
  readonly fields: ReadonlyArray<string>
}

/** Describes all commands, and what they share. */
export interface CommandLineDescription {
  readonly commands: ReadonlyArray<CommandDescription>
  readonly globalOptions: ReadonlyArray<OptionDescription>
  /** Options that replace the execution of a command. */
  readonly informationOptions: ReadonlyArray<OptionDescription>
  readonly variables: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

/** Returns the options of all commands. Those with the same name have the same words. */
export const everyOption = (all: CommandLineDescription): ReadonlyArray<OptionDescription> => [
  ...all.globalOptions,
  ...all.informationOptions,
  ...all.commands.flatMap(({ options }) => options)
]

/** Returns the options that a command accepts. Help, completions and manual pages list exactly these. */
export const optionsOf = (
  { globalOptions, informationOptions }: CommandLineDescription,
  { options }: CommandDescription
): ReadonlyArray<OptionDescription> => [
  ...options,
  ...globalOptions,
  ...informationOptions.filter(({ name }) => name === "help")
]

/** Returns the options that several commands share, each once. */
export const sharedOptions = (all: CommandLineDescription): ReadonlyArray<OptionDescription> => {
  const own = all.commands.flatMap(({ options }) => options).filter(({ group }) => group !== "command")
  return [
    ...new Map(
      [...own, ...all.globalOptions, ...all.informationOptions].map((option) => [option.name, option])
    ).values()
  ]
}

/** Returns the notation of an option without its short form, for example `--limit <number>`. */
export const optionLabel = ({ name, value }: OptionDescription): string =>
  `--${name}${value === null ? "" : ` <${value}>`}`

/** Returns the notation of an argument in usage lines. */
export const argumentLabel = ({ name, optional, repeatable }: ArgumentDescription): string => {
  const label = `${name}${repeatable ? "…" : ""}`
  return optional ? `[${label}]` : `<${label}>`
}

/** Returns a command with its arguments, for example `wallet transfers <address>`. */
export const commandUsage = (command: CommandDescription): string =>
  [...command.path, ...command.arguments.map(argumentLabel)].join(" ")
