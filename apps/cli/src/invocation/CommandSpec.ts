/** Commands: descriptions with the code that runs them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import type { CommandDescription, CommandLineDescription } from "../args/CommandDescription.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import type { CommandSettings } from "../config/Configuration.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"

export interface CommandInvocation {
  readonly command: CommandSpec
  /** Values that the command line sets. */
  readonly commandLineValues: ArgumentValues
  /** Values that the command line, the environment and configuration files set. */
  readonly values: ArgumentValues
  readonly settings: CommandSettings
}

export class CommandDescriptions extends Context.Tag("quarry/CommandDescriptions")<
  CommandDescriptions,
  CommandLineDescription
>() {}

export interface CommandSpec extends Omit<CommandDescription, "fields"> {
  readonly options: ReadonlyArray<CommandOption>
  /** Whether `--timeout` ends the command with success, because it has no other end. */
  readonly endsAtTimeout?: boolean
  readonly run: (
    invocation: CommandInvocation
  ) => Effect.Effect<void, CommandError, HttpTransport | CommandTerminal | CommandDescriptions>
}
