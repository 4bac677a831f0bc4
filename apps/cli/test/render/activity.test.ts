/** What the progress line says while a command waits for a service, and while it exports. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { makeProgress } from "../../src/export/ExportProgress.ts"
import { recordPage } from "../../src/list/RecordList.ts"
import { withActivity } from "../../src/render/Activity.ts"
import { CommandTerminal, type TerminalService } from "../../src/terminal/Terminal.ts"
import { withVerboseLog } from "../../src/terminal/VerboseLog.ts"

const recordingTerminal = () => {
  const lines: Array<string | null> = []
  const stream = { isTerminal: true, hasColors: false, columns: 200 }
  const terminal: TerminalService = {
    out: stream,
    err: stream,
    print: () => Effect.void,
    note: () => Effect.void,
    progress: (text) => Effect.sync(() => void lines.push(text))
  }
  return { lines, terminal }
}

/** Runs an effect, and returns what the progress line shows, without repetitions. Null: it is erased. */
const shownBy = (
  effect: (terminal: TerminalService) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<string | null>> => {
  const { lines, terminal } = recordingTerminal()
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

const page = (count: number, total: number | null) =>
  recordPage(
    null,
    { cursor: "next", result: Array.from({ length: count }, (_, item) => item), total },
    () => []
  )

it.effect("has the records, pages, rate and what remains of a known total of an export", () =>
  Effect.gen(function*() {
    const { lines, terminal } = recordingTerminal()
    const progress = yield* makeProgress(terminal, "transfers", 2000, null)
    yield* TestClock.adjust("1 second")
    yield* progress.page(page(1000, null))
    yield* TestClock.adjust("50 millis")
    yield* progress.page(page(1000, null))
    yield* TestClock.adjust("950 millis")
    yield* progress.page(page(1000, 11_000))
    expect(lines).toEqual([
      "3,000 transfers, 1 page, 1,000/s",
      "5,000 transfers, 3 pages, 1,500/s, 45% of 11,000, 4.0s left"
    ])
  }))
