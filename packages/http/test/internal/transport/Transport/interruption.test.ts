/** Tests over real sockets what an interrupted call leaves behind. */
import * as HttpClient from "@effect/platform/HttpClient"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as CallContext from "../../../../src/gateway/CallContext.ts"
import { until } from "../../../faults/support/Wait.ts"
import { tokenPrice } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineOver } from "../../../support/TestEngine.ts"

const text = JSON.stringify(tokenPrice.document)

/** A timeout that no other timer has. */
const timeoutMillis = 54_321

/** What the server does with a request before the call is interrupted. */
const reactions: Readonly<Record<string, Server.Handler>> = {
  "no response": () => {},
  "a head": (response) => {
    response.writeHead(200, { "content-length": "100000" })
    response.flushHeaders()
  },
  "a part of a body of known length": (response) => {
    response.writeHead(200, { "content-length": "100000" })
    response.write(text)
  },
  "a part of a body of unknown length": (response) => {
    response.writeHead(200)
    response.write(text)
  },
  "a part of a compressed body": (response) => {
    response.writeHead(200, { "content-encoding": "gzip" })
    response.write(new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]))
  },
  "a response": (response) => response.end(text)
}

/** Counts how often each timer with the timeout of attempts is stopped. */
const observeTimers = () => {
  const stopped = new Map<unknown, number>()
  const { clearTimeout, setTimeout } = globalThis
  vi.spyOn(globalThis, "setTimeout").mockImplementation(
    Object.assign(
      (callback: () => void, millis?: number) => {
        const timer = setTimeout(callback, millis)
        if (millis === timeoutMillis) stopped.set(timer, 0)
        return timer
      },
      { __promisify__: setTimeout.__promisify__ }
    )
  )
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    const times = stopped.get(timer)
    if (times !== undefined) stopped.set(timer, times + 1)
    clearTimeout(timer)
  })
  return stopped
}

describe.each(Server.clients)("with %s", (_, layer) => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it("an interrupted call releases its permit, timer, memory and connection exactly once", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(reactions)), { minLength: 1, maxLength: 6 }),
        fc.nat(3),
        (names, interruptedAtOnce) =>
          Effect.gen(function*() {
            const stopped = observeTimers()
            const server = yield* Server.make((response, number) =>
              reactions[names[number - 1] ?? "no response"]?.(response, number)
            )
            const limit = names.length + interruptedAtOnce
            const { send } = yield* engineOver(yield* HttpClient.HttpClient, {
              baseUrl: server.url,
              retry: TestClients.immediateRetries(1),
              timeouts: { attempt: timeoutMillis, call: "1 day" },
              concurrency: { limit, maxQueue: 0 }
            })
            let used = 0
            const memory = {
              tryAcquire: (bytes: number) => {
                used += bytes
                return true
              },
              release: (bytes: number) => {
                used -= bytes
              }
            }
            const call = Effect.suspend(() => send(1, CallContext.make({ memory })))
            const received = (requests: number) =>
              until(`${requests} requests`, () => server.received.length >= requests)

            const fibers = yield* Effect.forEach(names, () => Effect.fork(call))
            yield* received(names.length)
            for (let number = 0; number < interruptedAtOnce; number += 1) {
              yield* Fiber.interrupt(yield* Effect.fork(call))
            }
            yield* Fiber.interruptAll(fibers)
            expect(used).toBe(0)
            yield* until("all requests to end", () => server.inFlight() === 0)

            const before = server.received.length
            const hanging = yield* Effect.replicateEffect(Effect.fork(call), limit)
            yield* received(before + limit)
            expect(yield* failureOf(call)).toMatchObject({ _tag: "LocalLimitError", limit: "concurrency" })
            yield* Fiber.interruptAll(hanging)
            expect(server.received).toHaveLength(before + limit)
            expect(stopped.size).toBeGreaterThanOrEqual(names.length + limit)
            expect([...stopped.values()]).toEqual(Array.from(stopped, () => 1))
          }).pipe(
            Effect.scoped,
            Effect.provide(layer),
            Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())),
            Effect.runPromise
          )
      )
    ))
})
