/**
 * Describes commands. The parser of the command line, help, completions and execution follow from these descriptions.
 *
 * A description is plain data, which the bundle contains as JSON. A spec (`CommandSpec.ts`) is a description with code; the
 * program loads that of the command to run.
 */
import type { ApiName } from "@blockquarry/core/Operation"

/** The groups of options, in the order of help. */
export const optionGroups = ["command", "input", "output", "export", "connection", "global"] as const

type OptionGroup = (typeof optionGroups)[number]

/** What a shell completes for a value that has no fixed choices. */
export type CompletionSource = "file" | "directory" | "field" | "profile" | "alias" | "command" | "setting"

/** Describes an option `--name`. */
export interface OptionDescription {
  /** Without the dashes. */
  readonly name: string
  /** A letter for the short form, `-o`. */
  readonly alias?: string
  /** The group in help. Default: command. */
  readonly group?: OptionGroup
  /** Name of the value in help; null for a switch, which takes no value. */
  readonly value: string | null
  readonly description: string
  /** Values that help and completions list. */
  readonly choices?: ReadonlyArray<string>
  /** The smallest and the largest integer, which help names. */
  readonly range?: IntegerRange | undefined
  readonly completes?: CompletionSource
  /** Whether all values of the option count. Otherwise the last one wins. */
  readonly repeatable?: boolean
}

type IntegerRange = readonly [min: number, max: number]

/** An option with the check of its values, and of its combination with others. */
export interface OptionSpec extends Omit<OptionDescription, "range"> {
  /** The names of options that a command line with this one must not set. */
  readonly conflictsWith?: ReadonlyArray<string>
  /** Values that are valid. Unset if the schema of an operation validates them. */
  readonly check?: ValueCheck
}

/** Decides whether a value is valid. `expected` completes the sentence "expected …, got …". */
export interface ValueCheck {
  readonly expected: string
  readonly accepts: (value: string) => boolean
  /** Returns what to do about an invalid value; null to see the help of the command. */
  readonly hint?: (value: string) => string | null
  /** Set if the value is an integer. */
  readonly range?: IntegerRange
}

/** Describes a positional argument. Arguments are required by default. */
export interface ArgumentSpec {
  readonly name: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
  readonly completes?: CompletionSource
  /** Whether the argument may be missing. */
  readonly optional?: boolean
  /** The option that may replace the argument, without the dashes. */
  readonly replacedBy?: string
  /** Whether the argument takes all words that remain. */
  readonly repeatable?: boolean
}

/** Describes a command. */
export interface CommandDescription {
  /** The words of the command, at least one. For example `["wallet", "transfers"]`. */
  readonly path: ReadonlyArray<string>
  /** The operation that the command calls, if any. */
  readonly operation: string | null
  /** Whether the command changes state at the upstream. */
  readonly isUpdate: boolean
  /** The API that the command calls; `any` if the arguments decide; null if it calls none. */
  readonly api: ApiName | "any" | null
  readonly summary: string
  readonly knownIssue?: string | undefined
  /** Further paragraph of help. */
  readonly note?: string | undefined
  readonly arguments: ReadonlyArray<ArgumentSpec>
  readonly options: ReadonlyArray<OptionDescription>
  /** Whether the command runs although configuration files or variables are invalid, for example to correct them. */
  readonly allowsInvalidConfiguration?: boolean
  /** Whether the command may create the profile that `--profile` names. */
  readonly allowsUnknownProfile?: boolean
  /** Arguments and options of the examples, without `quarry` and the path. */
  readonly examples: ReadonlyArray<string>
  /** Whether the command runs until it is interrupted, for example a server. */
  readonly runsUntilInterrupted?: boolean
}

/** A description with what is derived from it. */
export interface DescribedCommand extends CommandDescription {
  /** Names of the fields of a record. */
  readonly fields: ReadonlyArray<string>
}

/** Describes all commands, and what they share. */
export interface CommandLineDescription {
  readonly commands: ReadonlyArray<DescribedCommand>
  /** Options that every command accepts. */
  readonly globalOptions: ReadonlyArray<OptionDescription>
  /** Options that replace the execution of a command. */
  readonly informationOptions: ReadonlyArray<OptionDescription>
  /** Environment variables. */
  readonly variables: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

/** Returns the options that a command accepts. Help, completions and manual pages list exactly these. */
export const optionsOf = (
  { globalOptions, informationOptions }: CommandLineDescription,
  { options }: DescribedCommand
): ReadonlyArray<OptionDescription> => [
  ...options,
  ...globalOptions,
  ...informationOptions.filter(({ name }) => name === "help")
]
