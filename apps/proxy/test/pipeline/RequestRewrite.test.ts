/** The proxy normalizes parameters, and does not forward invalid ones. */
import { chainId, evmChains, nftTradeChains, priceChains } from "@blockquarry/core/Chain"
import { inputSchema, optional, passthrough } from "@blockquarry/core/InputSchema"
import { Integer } from "@blockquarry/core/Integer"
import { Json } from "@blockquarry/core/Json"
import { get } from "@blockquarry/core/Operation"
import { NoStore } from "@blockquarry/core/Ttl"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { rewrite } from "../../src/pipeline/RequestRewrite.ts"
import { examples, sendRequest, start } from "../support/proxy.ts"

const { busyToken, collection721, token, wallet } = examples
const data = "/api/v2.2"
const transfers = `${data}/${wallet}/erc20/transfers`
const trades = `${data}/wallets/${wallet}/nfts/trades`

/** Requests every path, and returns the path and query that reached the upstream for each. */
const seen = (paths: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { port, sandbox } = yield* start()
    for (const path of paths) yield* sendRequest(port, path)
    return (yield* sandbox.recordedRequests).map(({ path, query }) => ({ path, query }))
  })

const same = (paths: ReadonlyArray<string>, path: string, query: ReadonlyArray<readonly [string, string]>) =>
  Effect.gen(function*() {
    expect(yield* seen(paths)).toEqual(paths.map(() => ({ path, query })))
  })

describe("normalization", () => {
  const [a, b] = [token, busyToken]
  const lists: ReadonlyArray<
    readonly [name: string, of: (name: string, one: string, two: string) => string]
  > = [
    ["brackets", (name, one, two) => `${name}[]=${one}&${name}[]=${two}`],
    ["encoded brackets", (name, one, two) => `${name}%5B%5D=${one}&${name}%5B%5D=${two}`],
    ["indices", (name, one, two) => `${name}[0]=${one}&${name}[1]=${two}`],
    ["encoded indices", (name, one, two) => `${name}%5B0%5D=${one}&${name}%5B1%5D=${two}`],
    ["repeated", (name, one, two) => `${name}=${one}&${name}=${two}`],
    ["commas", (name, one, two) => `${name}=${one},${two}`],
    ["encoded commas", (name, one, two) => `${name}=${one}%2C${two}`]
  ]

  it.scopedLive("of addresses in a list", () =>
    same(
      lists.map(([, spell]) =>
        `${transfers}?${spell("contract_addresses", a.toUpperCase().replace("0X", "0x"), b)}`
      ),
      transfers,
      [["contract_addresses[]", a], ["contract_addresses[]", b]]
    ))

  it.scopedLive("of chains in a list", () =>
    same(
      lists.map(([, spell]) => `${data}/wallets/${wallet}/chains?${spell("chains", "ETH", "polygon+amoy")}`),
      `${data}/wallets/${wallet}/chains`,
      [["chains[]", "0x1"], ["chains[]", "0x13882"]]
    ))

  it.scopedLive("of an empty list, which is omitted", () =>
    same(
      ["?contract_addresses=", "?contract_addresses[]=", "?", "?&&", ""].map((query) => transfers + query),
      transfers,
      []
    ))

  const formatsOf = (name: typeof evmChains[number]) => {
    const id = chainId(name)
    return [
      name.replaceAll(" ", "%20"),
      name.replaceAll(" ", "+"),
      name.toUpperCase().replaceAll(" ", "+"),
      id,
      `0x${id.slice(2).toUpperCase()}`
    ]
  }

  for (
    const [set, path] of [[evmChains, transfers], [nftTradeChains, trades], [
      priceChains,
      `${data}/erc20/${token}/price`
    ]] as const
  ) {
    it.scopedLive(`of ${set.length} chains`, () =>
      Effect.gen(function*() {
        for (const name of set) {
          const { port, sandbox } = yield* start()
          for (const format of formatsOf(name)) yield* sendRequest(port, `${path}?chain=${format}`)
          expect((yield* sandbox.recordedRequests).map(({ query }) => query)).toEqual(
            formatsOf(name).map(() => [["chain", chainId(name)]])
          )
        }
      }))
  }

  const moment = "2024-01-02T03:04:05.000Z"
  const dates = [
    "2024-01-02T03:04:05.000Z",
    "2024-01-02T03:04:05Z",
    "2024-01-02T03:04:05",
    "2024-01-02%2003:04:05",
    "2024-01-02+03:04:05",
    "2024-01-02T03%3A04%3A05.000Z",
    "2024-01-02T05:04:05%2B02:00",
    "2024-01-02T05:04:05+02:00",
    "2024-01-02T05:04:05%2B0200",
    "Jan%202%202024%2003:04:05",
    "Tue,%2002%20Jan%202024%2003:04:05%20GMT",
    "Tue+Jan+02+2024+03:04:05+GMT%2B0000+(Coordinated+Universal+Time)"
  ]

  it.scopedLive("of dates", () =>
    same(dates.map((date) => `${transfers}?from_date=${date}`), transfers, [["from_date", moment]]))

  it.scopedLive("of seconds, on trades", () =>
    same([...dates, "1704164645"].map((date) => `${trades}?to_date=${date}`), trades, [["to_date", moment]]))

  it.scopedLive("of flags, numbers, orders and ids", () =>
    Effect.gen(function*() {
      const path = `${data}/nft/${collection721}/0x0A/owners`
      expect(
        yield* seen([
          `${path}?normalizeMetadata=TRUE&media_items=0&limit=007`,
          `${path.replace("0x0A", "10")}?media_items=false&limit=7&normalizeMetadata=1`,
          `${transfers}?order=asc&from_block=5`
        ])
      ).toEqual([
        ...Array.from({ length: 2 }, () => ({
          path: `${data}/nft/${collection721}/10/owners`,
          query: [["limit", "7"], ["normalizeMetadata", "true"], ["media_items", "false"]]
        })),
        { path: transfers, query: [["order", "ASC"], ["from_block", "5"]] }
      ])
    }))

  it.scopedLive("of paths", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const upper = `0x${wallet.slice(2).toUpperCase()}`
      const encoded = [...wallet].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("")
      for (const format of [wallet, upper, encoded]) {
        yield* sendRequest(port, `${data}/${format}/erc20/transfers`)
      }
      yield* sendRequest(port, "/streams/evm/a%20b%3F%25c/status", {
        method: "POST",
        body: `{"status":"paused"}`
      })
      yield* sendRequest(port, "/streams/evm/%c3%a9!'()*:@;=,$~/status", {
        method: "POST",
        body: `{"status":"paused"}`
      })
      expect((yield* sandbox.recordedRequests).map(({ path }) => path)).toEqual([
        transfers,
        transfers,
        transfers,
        "/streams/evm/a%20b%3F%25c/status",
        "/streams/evm/%C3%A9!'()*%3A%40%3B%3D%2C%24~/status"
      ])
    }))
})

describe("forwards unchanged", () => {
  it.scopedLive("unknown parameters", () =>
    same(
      [`${transfers}?limit=2&include_spam=a%26b%3Dc&x[]=1&x[]=2&empty=&bare`],
      transfers,
      [["limit", "2"], ["include_spam", "a&b=c"], ["x[]", "1"], ["x[]", "2"], ["empty", ""], ["bare", ""]]
    ))

  it.scopedLive("cursors with any content", () => {
    const cursor = `e30.+/=&?#%00\u00e9 "quoted"${"x".repeat(450)}`
    return same([`${transfers}?cursor=${encodeURIComponent(cursor)}`], transfers, [["cursor", cursor]])
  })

  it.scopedLive("unparsable dates, and formats of parameters without known values", () =>
    Effect.gen(function*() {
      expect(
        yield* seen([
          `${transfers}?from_date=day+before+yesterday&limit=2`,
          `${trades}?from_date=the%20flood&to_date=2024-01-02`,
          `${data}/nft/${collection721}?format=octal`
        ])
      ).toEqual([
        { path: transfers, query: [["limit", "2"], ["from_date", "day before yesterday"]] },
        { path: trades, query: [["to_date", "2024-01-02T00:00:00.000Z"], ["from_date", "the flood"]] },
        { path: `${data}/nft/${collection721}`, query: [["format", "octal"]] }
      ])
    }))

  it("unparsable values of open parameters, and of no others", () => {
    const operation = get({
      id: "test",
      api: "data",
      path: "/test",
      input: inputSchema({
        open: optional(passthrough(Integer)),
        closed: optional(Integer)
      }),
      output: Json,
      ttl: () => NoStore(),
      cost: 1,
      docs: { summary: "a test" }
    })
    const sent = (query: ReadonlyArray<readonly [string, string]>) =>
      Either.map(rewrite(operation, {}, query, undefined), ({ request }) => request.query)
    expect(sent([["open", "soon"], ["closed", "07"]])).toEqual(
      Either.right([["closed", "7"], ["open", "soon"]])
    )
    expect(sent([["open", "07"]])).toEqual(Either.right([["open", "7"]]))
    for (const [name, value] of [["open", "7"], ["open", "soon"]] as const) {
      expect(Either.flip(sent([[name, value], ["closed", "soon"]]))).toMatchObject({
        right: { issues: [{ parameter: "closed" }] }
      })
    }
  })

  it.scopedLive("a block bound, but not a date bound of the same side", () =>
    Effect.gen(function*() {
      expect(
        yield* seen([
          `${transfers}?from_date=2024-01-02&from_block=5&to_date=the+end&to_block=9`,
          `${transfers}?from_date=the+flood&from_block=5&to_date=the+end`
        ])
      ).toEqual([
        { path: transfers, query: [["from_block", "5"], ["to_block", "9"]] },
        { path: transfers, query: [["from_block", "5"], ["to_date", "the end"]] }
      ])
    }))
})
