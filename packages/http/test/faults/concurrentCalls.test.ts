/** A thousand callers with one question are one request, whoever of them hangs up. */
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberStatus from "effect/FiberStatus"
import { tokenPrice } from "../support/Examples.ts"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import * as FaultServer from "./support/FaultServer.ts"
import { until } from "./support/Wait.ts"

/** A thousand callers, all waiting for a service that has been asked and will not answer before `answer`. */
const callerCount = Effect.gen(function*() {
  const server = yield* FaultServer.make
  const text = JSON.stringify(tokenPrice.document)
  const place = server.addEndpoint(text)
  const open: Array<() => void> = []
  place.responder = ({ response }) => {
    open.push(() => response.end(text))
  }
  const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
    baseUrl: place.url,
    cache: ResponseCache.standard
  })
  const callers = yield* Effect.forEach(
    Array.from({ length: 1000 }),
    () => Effect.fork(tokenPrice.call(clients))
  )
  const waiting = Effect.map(
    Effect.forEach(callers, Fiber.status),
    (all) => all.every(FiberStatus.isSuspended)
  )
  yield* until("a request", () => place.received > 0)
  yield* until("a thousand who wait", waiting)
  return {
    place,
    callers,
    call: tokenPrice.call(clients),
    answer: Effect.sync(() => open.forEach((end) => end()))
  }
})

describe.each(Server.clients)("a thousand callers with %s", (_, layer) => {
  const provide = Effect.provide(layer)

  it.scopedLive("are one request", () =>
    Effect.gen(function*() {
      const { answer, callers, place } = yield* callerCount
      yield* answer
      const prices = yield* Effect.forEach(callers, Fiber.join)
      expect(prices.filter((price) => price === prices[0])).toHaveLength(1000)
      expect(prices[0]).toMatchObject({ usdPrice: 1.5 })
      expect(place.received).toBe(1)
    }).pipe(provide))

  it.scopedLive("are one request when half of them hang up, the first one too", () =>
    Effect.gen(function*() {
      const { answer, callers, place } = yield* callerCount
      // The first caller began the request; of the others every second one goes.
      const interrupted = callers.filter((_, index) => index === 0 || index % 2 === 1).slice(0, 500)
      const remaining = callers.filter((caller) => !interrupted.includes(caller))
      yield* Fiber.interruptAll(interrupted)
      expect(place.pending).toBe(1)
      yield* answer
      const prices = yield* Effect.forEach(remaining, Fiber.join)
      expect(prices).toHaveLength(500)
      for (const price of prices) expect(price).toMatchObject({ usdPrice: 1.5 })
      expect(place.received).toBe(1)
    }).pipe(provide))

  it.scopedLive("that all hang up leave an answer for the next", () =>
    Effect.gen(function*() {
      const { answer, call, callers, place } = yield* callerCount
      yield* Fiber.interruptAll(callers)
      yield* answer
      yield* until("the end of the request", () => place.pending === 0)
      expect(yield* call).toMatchObject({ usdPrice: 1.5 })
      expect(place.received).toBe(1)
    }).pipe(provide))
})
