/** Tests a thousand concurrent identical calls, of which some or all are interrupted. */
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

/** A thousand callers that wait for a request in flight, and `respond`, which completes it. */
const waitingCallers = Effect.gen(function*() {
  const server = yield* FaultServer.make
  const text = JSON.stringify(tokenPrice.document)
  const endpoint = server.addEndpoint(text)
  const open: Array<() => void> = []
  endpoint.responder = ({ response }) => {
    open.push(() => response.end(text))
  }
  const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
    baseUrl: endpoint.url,
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
  yield* until("a request", () => endpoint.received > 0)
  yield* until("a thousand waiting callers", waiting)
  return {
    endpoint,
    callers,
    call: tokenPrice.call(clients),
    respond: Effect.sync(() => open.forEach((end) => end()))
  }
})

describe.each(Server.clients)("a thousand concurrent identical calls with %s", (_, layer) => {
  const provide = Effect.provide(layer)

  it.scopedLive("are coalesced into one request", () =>
    Effect.gen(function*() {
      const { respond, callers, endpoint } = yield* waitingCallers
      yield* respond
      const prices = yield* Effect.forEach(callers, Fiber.join)
      expect(prices.filter((price) => price === prices[0])).toHaveLength(1000)
      expect(prices[0]).toMatchObject({ usdPrice: 1.5 })
      expect(endpoint.received).toBe(1)
    }).pipe(provide))

  it.scopedLive("keep the request when half of them are interrupted, including the first", () =>
    Effect.gen(function*() {
      const { respond, callers, endpoint } = yield* waitingCallers
      // The first caller, which started the request, and every second of the others.
      const interrupted = callers.filter((_, index) => index === 0 || index % 2 === 1).slice(0, 500)
      const remaining = callers.filter((caller) => !interrupted.includes(caller))
      yield* Fiber.interruptAll(interrupted)
      expect(endpoint.pending).toBe(1)
      yield* respond
      const prices = yield* Effect.forEach(remaining, Fiber.join)
      expect(prices).toHaveLength(500)
      for (const price of prices) expect(price).toMatchObject({ usdPrice: 1.5 })
      expect(endpoint.received).toBe(1)
    }).pipe(provide))

  it.scopedLive("cache the response even if all of them are interrupted", () =>
    Effect.gen(function*() {
      const { respond, call, callers, endpoint } = yield* waitingCallers
      yield* Fiber.interruptAll(callers)
      yield* respond
      yield* until("the end of the request", () => endpoint.pending === 0)
      expect(yield* call).toMatchObject({ usdPrice: 1.5 })
      expect(endpoint.received).toBe(1)
    }).pipe(provide))
})
