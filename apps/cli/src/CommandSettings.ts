/** Settings of a command from the options of every command and the environment. */
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ArgumentValues, isEnabled, singleValue } from "./args/CommandSpec.ts"
import {
  baseUrlOptions,
  outputOption,
  sandboxOption,
  timeoutOption,
  verboseOption
} from "./args/GlobalOptions.ts"
import { parseDuration } from "./args/ValueCheck.ts"
import { UsageError } from "./CommandError.ts"
import { isOutputFormat, type OutputFormat } from "./render/OutputFormat.ts"
import { CommandTerminal } from "./Terminal.ts"

export interface CommandSettings {
  readonly format: OutputFormat
  readonly isSandbox: boolean
  readonly isVerbose: boolean
  /** Timeout of the whole command; null for the default timeouts of the client. */
  readonly timeout: Duration.Duration | null
  /** Base URLs from options, by the environment variable that they override. */
  readonly baseUrls: ReadonlyMap<string, string>
}

/** Reads the settings. Options take precedence over the environment. */
export const readSettings = (
  values: ArgumentValues
): Effect.Effect<CommandSettings, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const format = singleValue(values, outputOption.name) ?? ""
    const timeout = singleValue(values, timeoutOption.name)
    const baseUrls = new Map(baseUrlOptions.flatMap(({ name, variable }) => {
      const url = singleValue(values, name)
      return url === undefined || url === "" ? [] : [[variable, url] as const]
    }))
    return {
      format: isOutputFormat(format) ? format : terminal.out.isTerminal ? "table" : "ndjson",
      isSandbox: yield* readSandbox(singleValue(values, sandboxOption.name), baseUrls.size > 0),
      isVerbose: isEnabled(values, verboseOption.name),
      timeout: timeout === undefined ? null : parseDuration(timeout),
      baseUrls
    }
  })

const trueValues: ReadonlySet<string> = new Set(["1", "true", "yes", "on"])
const falseValues: ReadonlySet<string> = new Set(["", "0", "false", "no", "off"])

const readSandbox = (option: string | undefined, hasBaseUrl: boolean): Effect.Effect<boolean, UsageError> => {
  if (option === "true" && hasBaseUrl) {
    return new UsageError({
      reason: "--sandbox and a base URL are mutually exclusive",
      hint: "use one of them"
    })
  }
  // A base URL on the command line takes precedence over QUARRY_SANDBOX
  if (option !== undefined || hasBaseUrl) return Effect.succeed(option === "true")
  return Config.string("QUARRY_SANDBOX").pipe(
    Effect.orElseSucceed(() => ""),
    Effect.flatMap((variable) => {
      const value = variable.trim().toLowerCase()
      return trueValues.has(value) || falseValues.has(value)
        ? Effect.succeed(trueValues.has(value))
        : new UsageError({
          reason: `QUARRY_SANDBOX: expected 1 or 0, got ${JSON.stringify(variable)}`,
          hint: "set it to 1 or unset it"
        })
    })
  )
}
