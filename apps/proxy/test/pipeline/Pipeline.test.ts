/** Sends requests of every operation through the HTTP server and compares the responses with the upstream's. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples, ledger, sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { staticUpstream } from "../support/staticUpstream.ts"

describe("every operation", () => {
  it.scopedLive("returns the upstream's response byte for byte", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const twin = yield* Sandbox.make({ ledger })
      for (const { id, method } of allOperations) {
        const { body = "", path } = sampleRequests[id] ?? { path: id }
        const headers = { "x-api-key": Sandbox.apiKey }
        const expected = yield* twin.handle({ method, url: path, headers, body })
        const response = yield* sendRequest(port, path, { method, body })
        expect([id, response.status, response.text]).toEqual([id, 200, expected.body])
        expect(response.headers["content-type"]).toBe(expected.headers["content-type"])
        expect(response.headers["content-length"]).toBe(String(response.bytes.byteLength))
      }
      const recorded = yield* sandbox.recordedRequests
      expect(recorded.map(({ operation }) => operation)).toEqual(allOperations.map(({ id }) => id))
    }))
})

it.scopedLive("amounts keep every digit and their format", () =>
  Effect.gen(function*() {
    const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
    const body =
      `{ "result" : [],\n\t"cursor":null,"a":9007199254740993,"b":"${largest}","c":${largest},"d":1.0}\n`
    const { port } = yield* start({ httpClient: staticUpstream(200, body) })
    const path = `/api/v2.2/${examples.wallet}/erc20/transfers`
    expect((yield* sendRequest(port, path)).text).toBe(body)
  }))

it.scopedLive("a number that is too large is rejected with the largest one", () =>
  Effect.gen(function*() {
    const { port } = yield* start()
    for (const parameter of ["from_block", "to_block", "limit"]) {
      const path = `/api/v2.2/${examples.wallet}/erc20/transfers?${parameter}=9007199254740992`
      const { status, text } = yield* sendRequest(port, path)
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(`got \\"9007199254740992\\", which is more than 9007199254740991`)
      ])
    }
  }))
