/** Tests over real sockets what an interrupted call leaves behind. */
import { Agent, type Dispatcher } from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Redacted from "effect/Redacted"
import * as CallContext from "../../../../src/CallContext.ts"
import { fromHttpClient } from "../../../../src/internal/transport/HttpClientTransport.ts"
import type { Transport } from "../../../../src/internal/transport/Transport.ts"
import { fromDispatcher } from "../../../../src/internal/transport/UndiciDispatch.ts"
import { unlimited } from "../../../../src/RawResponse.ts"
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

const options = { maxBodySize: 1000, userAgent: "test" }

/** Transports without network that call a function while a request starts, and count how often it is cancelled. */
const transports: ReadonlyArray<
  readonly [name: string, make: (onStart: () => void, cancelled: () => void) => Transport]
> = [
  ["a client", (onStart, cancelled) => {
    const client = HttpClient.make((_request, _url, signal) => {
      signal.addEventListener("abort", cancelled)
      onStart()
      return Effect.never
    })
    return fromHttpClient(client, options)
  }],
  ["a dispatcher", (onStart, cancelled) => {
    class TestAgent extends Agent {
      override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        const controller = {
          aborted: false,
          paused: false,
          reason: null,
          abort: cancelled,
          pause: () => {},
          resume: () => {}
        }
        handler.onRequestStart?.(controller, {})
        onStart()
        return true
      }
    }
    return fromDispatcher(new TestAgent(), options)
  }]
]

describe.each(transports)("with %s", (_, makeTransport) => {
  it.effect("a call that is interrupted while its request starts cancels it exactly once", () =>
    Effect.gen(function*() {
      let cancellations = 0
      const transport = makeTransport(
        () => fiber.unsafeInterruptAsFork(FiberId.none),
        () => {
          cancellations += 1
        }
      )
      const request = {
        method: "GET",
        url: "http://test.test/",
        apiKey: Redacted.make(""),
        body: null,
        weightHeader: null,
        isObsolete: () => false,
        memory: unlimited
      } as const
      const fiber = yield* Effect.fork(transport.send(request, timeoutMillis))
      yield* Fiber.await(fiber)
      expect(cancellations).toBe(1)
    }))
})
