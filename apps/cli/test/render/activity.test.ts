/** What the progress line says while a command waits for a service. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { withActivity } from "../../src/render/Activity.ts"
import { CommandTerminal, type TerminalService } from "../../src/terminal/Terminal.ts"
import { withVerboseLog } from "../../src/terminal/VerboseLog.ts"
import { recordingTerminal } from "../support/terminals.ts"

/** Runs an effect, and returns what the progress line shows, without repetitions. Null: it is erased. */
const shownBy = (
  effect: (terminal: TerminalService) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<string | null>> => {
  const { lines, terminal } = recordingTerminal(true)
  return Effect.flatMap(CommandTerminal, (active) => Effect.orDie(effect(active))).pipe(
    withActivity(terminal),
    withVerboseLog(terminal, false),
    Effect.provideService(CommandTerminal, terminal),
    Effect.map(() => lines.filter((line, index) => line !== lines[index - 1]))
  )
}

const log = (annotations: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("a message"), { call: "1", ...annotations })

const sends = log({ url: "http://localhost/price" })

it.effect("has the time of silence, from the first second on", () =>
  Effect.gen(function*() {
    const shown = yield* shownBy(({ print }) =>
      Effect.gen(function*() {
        yield* TestClock.adjust("5 seconds")
        yield* sends
        yield* TestClock.adjust("1200 millis")
        yield* Effect.ignore(print("text"))
        yield* TestClock.adjust("999 millis")
        yield* log({ outcome: "200" })
        yield* TestClock.adjust("5 seconds")
      })
    )
    expect(shown).toEqual([
      "waiting for the response (1.0s)",
      "waiting for the response (1.1s)",
      "waiting for the response (1.2s)",
      null
    ])
  }))

it.effect("adds the waits to the progress that a command shows", () =>
  Effect.gen(function*() {
    const shown = yield* shownBy(({ progress }) =>
      Effect.gen(function*() {
        yield* progress("1,000 transfers")
        yield* log({ wait: "rate_limit", millis: 1500 })
        yield* TestClock.adjust("100 millis")
        yield* progress("2,000 transfers")
        yield* log({ wait: "rate_limit", millis: 50 })
        yield* log({ outcome: "200" })
        yield* TestClock.adjust("5 seconds")
        yield* progress(null)
      })
    )
    expect(shown).toEqual([
      "1,000 transfers",
      "1,000 transfers; waiting 1.4s for the local rate limit (--rate-limit)",
      "2,000 transfers; waiting 1.4s for the local rate limit (--rate-limit)",
      "2,000 transfers",
      null
    ])
  }))
