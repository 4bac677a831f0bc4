/** What the options that every command takes, and the environment, make of a call. */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Usage } from "./Failure.ts"
import { single, type Values } from "./line/Entry.ts"
import { addresses, output, sandbox, timeout, verbose } from "./line/Globals.ts"
import { type Format, formats, isFormat } from "./render/Format.ts"
import { Screen } from "./Screen.ts"

export interface Settings {
  readonly format: Format
  readonly isSandbox: boolean
  readonly isVerbose: boolean
  /** For the whole command; null where the client's own limits are enough. */
  readonly timeout: Duration.Duration | null
  /** Base addresses that were written, by the names of the settings that they override. */
  readonly addresses: ReadonlyMap<string, string>
}

/** Options win over the environment. */
export const read = (values: Values): Effect.Effect<Settings, Usage, Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const written = new Map(addresses.flatMap(({ name, setting }) => {
      const url = single(values, name)
      return url === undefined || url === "" ? [] : [[setting, url] as const]
    }))
    return {
      format: yield* readFormat(single(values, output.name), screen.out.isTerminal),
      isSandbox: yield* readSandbox(single(values, sandbox.name), written.size > 0),
      isVerbose: single(values, verbose.name) === "true",
      timeout: yield* readTimeout(single(values, timeout.name)),
      addresses: written
    }
  })

const readFormat = (text: string | undefined, isTerminal: boolean): Either.Either<Format, Usage> =>
  text === undefined
    ? Either.right(isTerminal ? "table" : "ndjson")
    : isFormat(text)
    ? Either.right(text)
    : Either.left(
      new Usage({
        problem: `--output: expected ${formats.join(", ")}, got ${JSON.stringify(text)}`,
        hint: null
      })
    )

const on: ReadonlySet<string> = new Set(["1", "true", "yes", "on"])
const off: ReadonlySet<string> = new Set(["", "0", "false", "no", "off"])

const readSandbox = (text: string | undefined, hasAddress: boolean): Effect.Effect<boolean, Usage> => {
  if (text === "true" && hasAddress) {
    return new Usage({ problem: "--sandbox and a base address exclude each other", hint: "give one of them" })
  }
  // An address on the command line is nearer than a sandbox in the environment.
  if (text !== undefined || hasAddress) return Effect.succeed(text === "true")
  return Config.string("QUARRY_SANDBOX").pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((setting) => setting.trim().toLowerCase()),
    Effect.filterOrFail(
      (setting) => on.has(setting) || off.has(setting),
      () => new Usage({ problem: "QUARRY_SANDBOX: expected 1 or 0", hint: "set it to 1, or unset it" })
    ),
    Effect.map((setting) => on.has(setting))
  )
}

const units: ReadonlyMap<string, number> = new Map([["ms", 1], ["s", 1000], ["", 1000], ["m", 60_000], [
  "h",
  3_600_000
]])

/** 24 days: timers hold no more. */
const longest = 24 * 24 * 3_600_000

/** A number and a unit; seconds where there is none. */
const readTimeout = (text: string | undefined): Either.Either<Duration.Duration | null, Usage> => {
  if (text === undefined) return Either.right(null)
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const millis = Number(number) * (units.get(unit ?? "") ?? Number.NaN)
  return millis > 0 && millis <= longest
    ? Either.right(Duration.millis(millis))
    : Either.left(
      new Usage({
        problem: `--timeout: expected a duration such as 500ms, 30s or 2m, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
}
