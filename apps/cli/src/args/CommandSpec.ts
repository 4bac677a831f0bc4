/**
 * What a command is, for everybody who handles one: the reader of the command line, help, completions, and the
 * program that runs it.
 */
import type { ApiName } from "@blockquarry/core/Operation"
import type * as Effect from "effect/Effect"
import type { CommandError } from "../CommandError.ts"
import type { CommandSettings } from "../CommandSettings.ts"
import type { HttpTransport } from "../HttpTransport.ts"
import type { CommandTerminal } from "../Terminal.ts"

/** An option as it is written, `--name`. */
export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string
  /** One letter, written with one dash. */
  readonly alias?: string
  /** What help calls the value; null for a switch, which takes none. */
  readonly value: string | null
  readonly description: string
  /** Values that are offered in help and completion. */
  readonly choices?: ReadonlyArray<string>
  /** Whether it may be given more than once. */
  readonly repeatable?: boolean
}

/** A positional argument, all of which are required. */
export interface ArgumentSpec {
  readonly name: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
}

/** What was written, by the names of options and arguments. A switch is written `true` or `false`. */
export type ArgumentValues = ReadonlyMap<string, ReadonlyArray<string>>

/** One use of a command. */
export interface CommandInvocation {
  readonly values: ArgumentValues
  readonly settings: CommandSettings
}

/** A command, with its types closed over. */
export interface CommandSpec {
  /** As in `["wallet", "transfers"]`. */
  readonly path: readonly [group: string, name: string]
  /** The operation that is asked, where one is. */
  readonly operation: string | null
  /** Whether it changes something at the service. */
  readonly isUpdate: boolean
  /** Which of the service's addresses it needs. */
  readonly api: ApiName | null
  readonly summary: string
  readonly knownIssue?: string | undefined
  /** What else is good to know. */
  readonly note?: string | undefined
  readonly arguments: ReadonlyArray<ArgumentSpec>
  readonly options: ReadonlyArray<OptionSpec>
  /** What follows `quarry <words>` in examples. */
  readonly examples: ReadonlyArray<string>
  readonly run: (
    invocation: CommandInvocation
  ) => Effect.Effect<void, CommandError, HttpTransport | CommandTerminal>
}

/** The value of an option or argument that is given at most once. */
export const singleValue = (values: ArgumentValues, name: string): string | undefined =>
  values.get(name)?.at(-1)

/** Whether a switch is on. */
export const isEnabled = (values: ArgumentValues, name: string): boolean =>
  singleValue(values, name) === "true"
