/**
 * Values that the interface leaves open pass the library, the command line and the proxy alike. `Time`, `Chain` and
 * `unreadable` in the tests of core have all of them.
 */
import * as CallUsage from "@blockquarry/http/CallUsage"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { printedDates } from "../../../packages/core/test/support/printedDates.ts"
import { sample } from "../../../packages/core/test/support/sample.ts"
import { type Clients, clientsOver } from "../../../packages/http/test/support/TestClients.ts"
import { quarry, sandboxEnvironment } from "../../cli/test/support/quarry.ts"
import { sendRequest, start } from "./support/proxy.ts"
import { staticUpstream, upstreamOf } from "./support/staticUpstream.ts"

const address = `0x${"a1".repeat(20)}`

/** The same call of the library, the command line and the proxy. */
interface Doors {
  readonly library: (clients: Clients) => Effect.Effect<unknown, unknown>
  readonly commandLine: ReadonlyArray<string>
  readonly path: string
}

const transfersOf = (from_date: string, limit: number): Doors => ({
  library: ({ data }) => data.walletTransfers({ address, from_date, limit }),
  commandLine: ["wallet", "transfers", address, "--from-date", from_date, "--limit", String(limit)],
  path: `/${address}/erc20/transfers?from_date=${from_date}&limit=${limit}`
})

const chainsOf = (chain: string): Doors => ({
  library: ({ data }) => data.walletChains({ address, chains: [chain] }),
  commandLine: ["wallet", "chains", address, "--chains", chain],
  path: `/wallets/${address}/chains?chains=${chain}`
})

it.scopedLive.each<readonly [doors: Doors, sent: Readonly<Record<string, string | null>>]>([
  // No default of the chain is shown, so none is sent
  [transfersOf("20240131", 1_000_000), {
    limit: "1000000",
    from_date: "2024-01-31T00:00:00.000Z",
    chain: null
  }],
  [chainsOf("polygon"), { "chains[]": "0x89" }],
  [chainsOf("monad"), { "chains[]": "monad" }]
])("%j is sent as %j", ([{ commandLine, library, path }, sent]) =>
  Effect.gen(function*() {
    const body = JSON.stringify({ address, active_chains: [], result: [] })
    let query = new URLSearchParams()
    const client = upstreamOf((url) => {
      query = url.searchParams
      return new Response(body, { headers: { "content-type": "application/json" } })
    })
    const expectSent = () =>
      expect(Object.keys(sent).map((name) => [name, query.get(name)])).toEqual(Object.entries(sent))
    yield* library(yield* clientsOver(client))
    expectSent()
    expect(yield* quarry(commandLine, { client, env: sandboxEnvironment })).toMatchObject({ code: 0 })
    expectSent()
    const { port } = yield* start({ httpClient: client })
    expect((yield* sendRequest(port, `/api/v2.2${path}`)).status).toBe(200)
    expectSent()
  }))

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
    const texts = sample(printedDates, 7)
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

const nft = { token_address: address, token_id: "1" }

describe("a value that upstreams return", () => {
  const nftDoors: Doors = {
    library: ({ data }) => data.nftMetadata({ address, token_id: "1" }),
    commandLine: ["nft", "get", address, "1"],
    path: `/nft/${address}/1`
  }

  it.scopedLive.each<readonly [document: object, decoded: object, unreadable: number]>([
    [{ ...nft, name: "" }, { name: null }, 0],
    [{ ...nft, rarity_rank: "unranked", rarity_percentage: "NaN" }, {
      rarity_rank: null,
      rarity_percentage: null
    }, 2]
  ])(
    "%j is read as %j, and passes through the proxy",
    ([document, decoded, unreadable]) =>
      Effect.gen(function*() {
        const { commandLine, library, path } = nftDoors
        const client = staticUpstream(200, JSON.stringify(document))
        const [value, usage] = yield* CallUsage.withUsage(library(yield* clientsOver(client))).pipe(
          Logger.withMinimumLogLevel(LogLevel.None)
        )
        expect(value).toMatchObject(decoded)
        expect(usage.unreadableFields).toBe(unreadable)
        const run = (...options: ReadonlyArray<string>) =>
          quarry([...commandLine, ...options], { client, env: sandboxEnvironment })
        const { err, out } = yield* run("-o", "ndjson")
        expect(JSON.parse(out)).toMatchObject(decoded)
        const fields = Object.keys(decoded).join(", ")
        const line = `nftMetadata: fields that could not be read are null: ${fields}`
        expect(err.split("\n").filter((text) => text.includes(line))).toHaveLength(Math.sign(unreadable))
        expect(JSON.parse((yield* run("--raw")).out)).toEqual(document)
        const { port } = yield* start({ httpClient: client })
        expect((yield* sendRequest(port, `/api/v2.2${path}`)).text).toBe(JSON.stringify(document))
      })
  )
})
