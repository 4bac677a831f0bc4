/** The progress line of an export. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { makeProgress } from "../../src/export/ExportProgress.ts"
import { recordPage } from "../../src/list/RecordList.ts"
import { recordingTerminal } from "../support/terminals.ts"

const page = (count: number, total: number | null) =>
  recordPage(
    null,
    { cursor: "next", result: Array.from({ length: count }, (_, item) => item), total },
    () => []
  )

it.effect("shows records, pages, rate and what remains of a known total", () =>
  Effect.gen(function*() {
    const { lines, terminal } = recordingTerminal(true)
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
