/** Tests the memory of response bodies over real sockets. */
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Zlib from "node:zlib"
import * as CallContext from "../../../../src/gateway/CallContext.ts"
import { FairShare } from "../../../../src/gateway/FairShare.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineOver } from "../../../support/TestEngine.ts"

/** Memory that records the largest amount in use. */
const makeMemory = (capacity: number) => {
  const memory = new FairShare()
  const state = { peak: 0 }
  return {
    used: () => memory.used,
    peak: () => state.peak,
    tryAcquire: (bytes: number) => {
      const acquired = memory.tryAcquire("client", bytes, capacity, 1)
      state.peak = Math.max(state.peak, memory.used)
      return acquired
    },
    release: (bytes: number) => memory.release("client", bytes)
  }
}

const bodyOf = (bytes: number): string => JSON.stringify({ usdPrice: 1.5, tokenName: "x".repeat(bytes) })

interface Body {
  readonly bytes: number
  readonly framing: "content-length" | "chunked" | "gzip"
}

const body = fc.record<Body>({
  bytes: fc.integer({ min: 0, max: 200_000 }),
  framing: fc.constantFrom("content-length", "chunked", "gzip")
})

describe.each(Server.clients)("with %s", (_, layer) => {
  const engineOf = (server: Server.Server) =>
    Effect.flatMap(HttpClient.HttpClient, (client) =>
      engineOver(client, {
        baseUrl: server.url,
        retry: TestClients.immediateRetries(3),
        breaker: {
          threshold: 0.1,
          minimum: 1,
          window: "1 hour",
          openDuration: "1 hour",
          maxOpenDuration: "1 hour"
        }
      }))

  it.scoped("concurrent bodies never exceed the memory, and return all of it", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(body, { minLength: 1, maxLength: 12 }),
          fc.integer({ min: 50_000, max: 600_000 }),
          (bodies, capacity) =>
            Effect.gen(function*() {
              const server = yield* Server.make((response, number) => {
                const { bytes = 0, framing = "chunked" } = bodies[number - 1] ?? {}
                const text = bodyOf(bytes)
                switch (framing) {
                  case "content-length":
                    response.writeHead(200, { "content-length": text.length })
                    return response.end(text)
                  case "chunked":
                    response.writeHead(200)
                    for (let at = 0; at < text.length; at += 16_384) {
                      response.write(text.slice(at, at + 16_384))
                    }
                    return response.end()
                  case "gzip":
                    response.writeHead(200, { "content-encoding": "gzip" })
                    return response.end(Zlib.gzipSync(text))
                }
              })
              const { send } = yield* engineOf(server)
              const memory = makeMemory(capacity)
              const results = yield* Effect.forEach(
                bodies,
                () => Effect.either(send(1, CallContext.make({ memory }))),
                { concurrency: "unbounded" }
              )
              expect(memory.peak()).toBeLessThanOrEqual(capacity)
              expect(memory.used()).toBe(0)
              for (const result of results.filter(Either.isLeft)) {
                expect(result.left).toMatchObject({ _tag: "LocalLimitError", limit: "memory" })
              }
              if (results.every(Either.isRight)) {
                expect(memory.peak()).toBeGreaterThan(Math.max(...bodies.map(({ bytes }) => bytes)))
              }
              // No retry, and no failure of the upstream.
              expect(server.received).toHaveLength(bodies.length)
              if (bodies.reduce((sum, { bytes }) => sum + 2 * bytes + 1000, 0) <= capacity) {
                expect(results.every(Either.isRight)).toBe(true)
              }
            }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
        )
      )
    ))
})
