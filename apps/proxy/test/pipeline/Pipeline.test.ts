/** Values pass the proxy as they are, or in one form: amounts, dates, and those that the interface leaves open. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { printedDates } from "../../../../packages/core/test/support/printedDates.ts"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { examples, sendRequest, start } from "../support/proxy.ts"
import { staticUpstream, upstreamOf } from "../support/staticUpstream.ts"

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

const address = `0x${"a1".repeat(20)}`

it.scopedLive("a printed date is forwarded as its instant, or byte for byte", () =>
  Effect.gen(function*() {
    let query = ""
    const client = upstreamOf((url) => {
      query = url.search
      return new Response("{\"result\":[]}", { headers: { "content-type": "application/json" } })
    })
    const { port } = yield* start({ httpClient: client })
    const wrong: Array<unknown> = []
    let instants = 0
    const texts = sample(printedDates, 23)
    for (const { instant, text } of texts) {
      const encoded = encodeURIComponent(text)
      const { status } = yield* sendRequest(port, `/api/v2.2/${address}/erc20/transfers?to_date=${encoded}`)
      const isInstant = query === `?to_date=${encodeURIComponent(new Date(instant).toISOString())}`
      if (isInstant) instants += 1
      const isForwarded = query.replaceAll("+", "%20") === `?to_date=${encoded}`
      if (status !== 200 || !isInstant && !isForwarded) wrong.push([text, status, query])
    }
    expect(wrong).toEqual([])
    expect(instants / texts.length).toBeGreaterThan(0.5)
  }))
