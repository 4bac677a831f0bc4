/** Commands: descriptions with the code that runs them. */
import type * as Effect from "effect/Effect"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import type { CommandDescription, CommandLineDescription, OptionSpec } from "../args/CommandDescription.ts"
import type { CommandSettings } from "../config/CommandSettings.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"

/** One execution of a command. */
export interface CommandInvocation {
  readonly command: CommandDescription
  /** Values that the command line sets. */
  readonly commandLineValues: ArgumentValues
  /** Values that the command line, the environment and configuration files set. */
  readonly values: ArgumentValues
  readonly settings: CommandSettings
}

/** Describes a command and runs it. */
export interface CommandSpec extends CommandDescription {
  readonly options: ReadonlyArray<OptionSpec>
  /** Returns whether `--timeout` ends the command with success, because it has no other end. */
  readonly endsAtTimeout?: (values: ArgumentValues) => boolean
  /** Runs the command. `commandLine` describes all commands. */
  readonly run: (
    invocation: CommandInvocation,
    commandLine: CommandLineDescription
  ) => Effect.Effect<void, CommandError, HttpTransport | CommandTerminal>
}
