/** What the options that every command takes, and the environment, make of a call. */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type ArgumentValues, singleValue } from "./args/CommandSpec.ts"
import {
  baseUrlOptions,
  outputOption,
  sandboxOption,
  timeoutOption,
  verboseOption
} from "./args/GlobalOptions.ts"
import { UsageError } from "./CommandError.ts"
import { isOutputFormat, type OutputFormat, outputFormats } from "./render/OutputFormat.ts"
import { CommandTerminal } from "./Terminal.ts"

export interface CommandSettings {
  readonly format: OutputFormat
  readonly isSandbox: boolean
  readonly isVerbose: boolean
  /** For the whole command; null where the client's own limits are enough. */
  readonly timeout: Duration.Duration | null
  /** Base addresses that were written, by the names of the settings that they override. */
  readonly baseUrls: ReadonlyMap<string, string>
}

/** Options win over the environment. */
export const readSettings = (
  values: ArgumentValues
): Effect.Effect<CommandSettings, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const screen = yield* CommandTerminal
    const baseUrls = new Map(baseUrlOptions.flatMap(({ name, variable: setting }) => {
      const url = singleValue(values, name)
      return url === undefined || url === "" ? [] : [[setting, url] as const]
    }))
    return {
      format: yield* parseFormat(singleValue(values, outputOption.name), screen.out.isTerminal),
      isSandbox: yield* readSandbox(singleValue(values, sandboxOption.name), baseUrls.size > 0),
      isVerbose: singleValue(values, verboseOption.name) === "true",
      timeout: yield* parseTimeout(singleValue(values, timeoutOption.name)),
      baseUrls: baseUrls
    }
  })

const parseFormat = (
  text: string | undefined,
  isTerminal: boolean
): Either.Either<OutputFormat, UsageError> =>
  text === undefined
    ? Either.right(isTerminal ? "table" : "ndjson")
    : isOutputFormat(text)
    ? Either.right(text)
    : Either.left(
      new UsageError({
        reason: `--output: expected ${outputFormats.join(", ")}, got ${JSON.stringify(text)}`,
        hint: null
      })
    )

const trueValues: ReadonlySet<string> = new Set(["1", "true", "yes", "on"])
const falseValues: ReadonlySet<string> = new Set(["", "0", "false", "no", "off"])

const readSandbox = (text: string | undefined, hasBaseUrl: boolean): Effect.Effect<boolean, UsageError> => {
  if (text === "true" && hasBaseUrl) {
    return new UsageError({
      reason: "--sandbox and a base address exclude each other",
      hint: "give one of them"
    })
  }
  // An address on the command line is nearer than a sandbox in the environment.
  if (text !== undefined || hasBaseUrl) return Effect.succeed(text === "true")
  return Config.string("QUARRY_SANDBOX").pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((setting) => setting.trim().toLowerCase()),
    Effect.filterOrFail(
      (setting) => trueValues.has(setting) || falseValues.has(setting),
      () => new UsageError({ reason: "QUARRY_SANDBOX: expected 1 or 0", hint: "set it to 1, or unset it" })
    ),
    Effect.map((setting) => trueValues.has(setting))
  )
}

const millisByUnit: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["", 1000],
  ["m", 60_000],
  [
    "h",
    3_600_000
  ]
])

/** 24 days: timers hold no more. */
const maxTimeoutMillis = 24 * 24 * 3_600_000

/** A number and a unit; seconds where there is none. */
const parseTimeout = (text: string | undefined): Either.Either<Duration.Duration | null, UsageError> => {
  if (text === undefined) return Either.right(null)
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const millis = Number(number) * (millisByUnit.get(unit ?? "") ?? Number.NaN)
  return millis > 0 && millis <= maxTimeoutMillis
    ? Either.right(Duration.millis(millis))
    : Either.left(
      new UsageError({
        reason: `--timeout: expected a duration such as 500ms, 30s or 2m, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
}
