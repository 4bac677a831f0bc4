/**
 * What a command is, for everybody who handles one: the reader of the command line, help, completions, and the
 * program that runs it.
 */
import type { Api } from "@blockquarry/core/Operation"
import type * as Effect from "effect/Effect"
import type { Failure } from "../Failure.ts"
import type { Network } from "../Network.ts"
import type { Screen } from "../Screen.ts"
import type { Settings } from "../Settings.ts"

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
  readonly many?: boolean
}

/** A positional argument, all of which are required. */
export interface ArgumentSpec {
  readonly name: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
}

/** What was written, by the names of options and arguments. A switch is written `true` or `false`. */
export type Values = ReadonlyMap<string, ReadonlyArray<string>>

/** One use of a command. */
export interface Call {
  readonly values: Values
  readonly settings: Settings
}

/** A command, with its types closed over. */
export interface Entry {
  /** As in `["wallet", "transfers"]`. */
  readonly words: readonly [group: string, name: string]
  /** The operation that is asked, where one is. */
  readonly operation: string | null
  /** Whether it changes something at the service. */
  readonly changes: boolean
  /** Which of the service's addresses it needs. */
  readonly api: Api | null
  readonly summary: string
  readonly knownIssue?: string | undefined
  /** What else is good to know. */
  readonly note?: string | undefined
  readonly arguments: ReadonlyArray<ArgumentSpec>
  readonly options: ReadonlyArray<OptionSpec>
  /** What follows `quarry <words>` in examples. */
  readonly examples: ReadonlyArray<string>
  readonly run: (call: Call) => Effect.Effect<void, Failure, Network | Screen>
}

/** The value of an option or argument that is given at most once. */
export const single = (values: Values, name: string): string | undefined => values.get(name)?.at(-1)

/** Whether a switch is on. */
export const isOn = (values: Values, name: string): boolean => single(values, name) === "true"
