/** Upstream requests of several clients in one process. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as RequestTurns from "../../src/quota/RequestTurns.ts"

const start = (...active: ReadonlyArray<string>) => {
  const pending: Array<() => void> = []
  const turns = RequestTurns.make((run) => void pending.push(run))
  for (const client of active) turns.recordRequest(client, 0)
  const started: Array<string> = []
  return {
    started,
    turn: Effect.suspend(() => {
      for (const run of pending.splice(0)) run()
      return Effect.yieldNow()
    }),
    record: (client: string, now: number) => turns.recordRequest(client, now),
    request: (client: string, count: number, now = 0) =>
      Effect.zipLeft(
        Effect.forEach(Array.from({ length: count }), () =>
          Effect.fork(Effect.map(turns.start(client, now), () => void started.push(client)))),
        Effect.yieldNow()
      )
  }
}

const busy = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => "busy")

describe("upstream requests", () => {
  it.effect("of a client alone all start at once", () =>
    Effect.gen(function*() {
      const { request, started } = start("busy", "busy")
      yield* request("busy", 100)
      expect(started).toHaveLength(100)
    }))

  it.effect("of a busy client start a few per turn, and those of another client at once", () =>
    Effect.gen(function*() {
      const { request, started, turn } = start("busy", "other")
      yield* request("busy", 10)
      yield* request("other", 1)
      expect(started).toEqual([...busy(RequestTurns.maxPerTurn), "other"])
      yield* turn
      expect(started.slice(RequestTurns.maxPerTurn + 1)).toEqual(busy(10 - RequestTurns.maxPerTurn))
    }))

  it.effect("that wait start in turn by client, unless their client disconnects", () =>
    Effect.gen(function*() {
      const { request, started, turn } = start("busy", "other")
      const [first] = (yield* request("busy", 20)).slice(RequestTurns.maxPerTurn)
      yield* request("other", 3)
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* turn
      expect(started.slice(RequestTurns.maxPerTurn + 1)).toEqual([
        "busy",
        "other",
        "busy",
        "other",
        "busy",
        "busy"
      ])
      for (let turns = 0; turns < 3; turns += 1) yield* turn
      expect(started).toHaveLength(22)
    }))

  it.effect("are not limited once the other client is idle", () =>
    Effect.gen(function*() {
      const { request, started } = start("other", "busy")
      yield* request("busy", 100, 1001)
      expect(started).toHaveLength(100)
    }))

  it.effect("are not limited by a time before the clock was set back", () =>
    Effect.gen(function*() {
      const { record, request, started } = start()
      for (const client of ["busy", "other"]) record(client, 3_600_000)
      yield* request("busy", 100)
      expect(started).toHaveLength(100)
      record("busy", 0)
      yield* request("busy", 100)
      expect(started).toHaveLength(100 + RequestTurns.maxPerTurn)
    }))

  it.effect("of one client start in their order, without those that no longer wait", () =>
    Effect.gen(function*() {
      const order: Array<number> = []
      const pending: Array<() => void> = []
      const turns = RequestTurns.make((run) => void pending.push(run))
      for (const client of ["busy", "other"]) turns.recordRequest(client, 0)
      const fibers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) => Effect.fork(Effect.map(turns.start("busy", 0), () => void order.push(index)))
      )
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll(fibers.slice(10, 25))
      while (pending.length > 0) {
        for (const run of pending.splice(0)) run()
        yield* Effect.yieldNow()
      }
      expect(order).toEqual([...Array(10).keys(), 25, 26, 27, 28, 29])
    }))
})
