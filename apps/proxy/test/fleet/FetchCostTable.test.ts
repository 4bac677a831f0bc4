/** A proxy fetches the cost table of its upstream at start. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { sendRequest } from "../support/proxy.ts"
import { eventually } from "./support/Eventually.ts"
import * as ProxyConfig from "./support/ProxyConfig.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"

const table = (price: number): string =>
  JSON.stringify([{ path: "/erc20/{address}/price", price: String(price), rateLimitCost: "7" }])

const path = "/api/v2.2/info/endpointWeights"

/** The price of an operation in the OpenAPI document. */
const priceOf = ({ port }: ProxyProcess.ProxyProcess) =>
  Effect.map(
    sendRequest(port, "/openapi.json"),
    ({ text }): unknown => JSON.parse(text).paths["/api/v2.2/erc20/{address}/price"].get["x-cost-units"]
  )

const setup = Effect.gen(function*() {
  const { folder, proxyFile, upstream } = yield* ProxyConfig.folder({
    other: { costTable: { fetch: true, file: "./weights.json" } }
  })
  return { folder, start: ProxyProcess.start(["--config", proxyFile]), upstream }
})

it.scopedLive("activates the table, and keeps it for a start without the upstream", () =>
  Effect.gen(function*() {
    const { folder, start, upstream } = yield* setup
    const bodies: ReadonlyArray<string> = [table(70), "not JSON", "x".repeat(20_000_000)]
    let body = bodies[0] ?? ""
    upstream.respond = ({ target }) =>
      Effect.succeed(target === path ? { status: 200, body } : { status: 500, body: "{}" })
    const proxy = yield* start
    yield* proxy.waitForLog("cost table fetched: 1 paths")
    expect(yield* priceOf(proxy)).toBe(70)
    yield* eventually("the file is saved", () => existsSync(folder.path("weights.json")))
    expect(readFileSync(folder.path("weights.json"), "utf8")).toBe(table(70))
    expect(upstream.received.map(({ key, target }) => [key, target])).toEqual(
      [[ProxyConfig.secretOf("main"), path]]
    )
    for (body of bodies.slice(1)) {
      const next = yield* start
      yield* next.waitForLog("cost table not fetched")
      expect(yield* priceOf(next)).toBe(70)
    }
    expect(readFileSync(folder.path("weights.json"), "utf8")).toBe(table(70))
  }))
