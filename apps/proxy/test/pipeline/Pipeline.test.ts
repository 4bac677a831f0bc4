/** Sends requests of every operation through the HTTP server and compares the responses with the upstream's. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples, sendRequest, start } from "../support/proxy.ts"
import { staticUpstream } from "../support/staticUpstream.ts"

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
