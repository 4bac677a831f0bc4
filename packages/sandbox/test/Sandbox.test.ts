import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Sandbox from "../src/Sandbox.ts"
import { dataUrl, examples, ledger } from "./service/support.ts"

const url = `${Sandbox.baseUrls.data}${dataUrl(`/wallets/${examples.wallet}/chains`)}`

const get = (fault?: string) =>
  HttpClient.get(url, {
    headers: { "x-api-key": Sandbox.apiKey, ...(fault === undefined ? {} : { [Sandbox.faultHeader]: fault }) }
  })

const layer = Sandbox.layer({ ledger })

describe("the in-process client", () => {
  it.effect("returns responses and records requests", () =>
    Effect.gen(function*() {
      const response = yield* get()
      expect(response.status).toBe(200)
      expect(response.headers["content-type"]).toContain("application/json")
      expect(yield* response.json).toMatchObject({ address: examples.wallet })
      const sandbox = yield* Sandbox.Sandbox
      expect(yield* sandbox.recordedRequests).toMatchObject([
        { method: "GET", operation: "walletChains", headers: { "x-api-key": Sandbox.apiKey } }
      ])
      yield* sandbox.clearRecordedRequests
      expect(yield* sandbox.recordedRequests).toEqual([])
    }).pipe(Effect.provide(layer)))

  it.effect("fails with the errors of a real client", () =>
    Effect.gen(function*() {
      const reset = yield* Effect.flip(get("reset"))
      expect(reset).toMatchObject({ _tag: "RequestError", reason: "Transport" })
      for (const fault of ["reset-body", "truncate"]) {
        const response = yield* get(fault)
        expect(response.status).toBe(200)
        expect(yield* Effect.flip(response.text)).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
      }
      const complete = yield* Effect.flatMap(get(), ({ text }) => text)
      const truncated = yield* Effect.flatMap(get("gzip-truncated"), ({ text }) => text)
      expect(truncated.length).toBeLessThan(complete.length)
      expect(complete.startsWith(truncated)).toBe(true)
      expect((yield* get("status=204")).status).toBe(204)
      expect((yield* get("redirect=http://other.invalid/")).headers["location"]).toBe("http://other.invalid/")
    }).pipe(Effect.provide(layer)))

  it.effect("hangs before the response and in the middle of a body, until it is interrupted", () =>
    Effect.gen(function*() {
      const stalled = (yield* get("stall")).text
      for (const waiting of [Effect.asVoid(get("hang")), Effect.asVoid(stalled)]) {
        const fiber = yield* Effect.fork(Effect.timeout(waiting, "1 minute"))
        yield* TestClock.adjust("1 minute")
        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
      }
    }).pipe(Effect.provide(layer)))

  it.effect("records at most maxRecordedRequests requests", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger, maxRecordedRequests: 3 })
      for (let index = 0; index < 10; index++) {
        yield* sandbox.handle({ method: "GET", url: `/${index}`, headers: {}, body: "" })
      }
      expect((yield* sandbox.recordedRequests).map(({ path }) => path)).toEqual(["/7", "/8", "/9"])
    }))
})
