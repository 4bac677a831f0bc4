/** Upstream requests of several clients in one process. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as RequestTurns from "../../src/quota/RequestTurns.ts"

/** Requests that have started, with the number of each. `active`: the clients with recent requests. */
const start = (...active: ReadonlyArray<string>) => {
  const pending: Array<() => void> = []
  const turns = RequestTurns.make((run) => void pending.push(run))
  for (const client of active) turns.recordRequest(client, 0)
  const started: Array<string> = []
  const request = (client: string, count: number, now = 0) =>
    Effect.zipLeft(
      Effect.forEach(Array.from({ length: count }), (_, number) =>
        Effect.fork(Effect.map(turns.start(client, now), () =>
          void started.push(`${client} ${number}`)))),
      Effect.yieldNow()
    )
  const turn = Effect.suspend(() => {
    for (const run of pending.splice(0)) run()
    return Effect.yieldNow()
  })
  return { ...turns, request, started, turn }
}

/** The requests of the busy client that start at once. */
const atOnce = Array.from({ length: RequestTurns.maxPerTurn }, (_, number) => `busy ${number}`)

describe("upstream requests", () => {
  it.effect("of several clients start a few per turn, in turn by client, unless their client disconnects", () =>
    Effect.gen(function*() {
      const { request, started, turn } = start("busy", "other")
      const waiting = (yield* request("busy", 20)).slice(RequestTurns.maxPerTurn)
      yield* request("other", 3)
      expect(started).toEqual([...atOnce, "other 0"])
      yield* Fiber.interruptAll(waiting.filter((_, index) => index === 0 || index > 4))
      yield* turn
      const next = ["busy 7", "other 1", "busy 8", "other 2", "busy 9", "busy 10"]
      expect(started).toEqual([...atOnce, "other 0", ...next])
      yield* turn
      expect(started).toHaveLength(RequestTurns.maxPerTurn + 1 + next.length)
    }))

  it.effect("of a client alone all start at once, also once the other client is idle or the clock was set back", () =>
    Effect.gen(function*() {
      const alone = start("busy", "busy")
      yield* alone.request("busy", 100)
      const idle = start("other", "busy")
      yield* idle.request("busy", 100, 1001)
      const setBack = start()
      for (const client of ["busy", "other"]) setBack.recordRequest(client, 3_600_000)
      yield* setBack.request("busy", 100)
      for (const { started } of [alone, idle, setBack]) expect(started).toHaveLength(100)
      setBack.recordRequest("busy", 0)
      yield* setBack.request("busy", 100)
      expect(setBack.started).toHaveLength(100 + RequestTurns.maxPerTurn)
    }))
})
