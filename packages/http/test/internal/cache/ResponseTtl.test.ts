/** Tests the TTL of the responses of every operation, and of data up to a block. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { cachingOptions, noStaleResponses, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, contract, examples, hash } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

const options = { ...cachingOptions, cache: noStaleResponses }

type ExampleCall = (clients: TestClients.Clients) => Effect.Effect<unknown, OperationError>

/** Returns the TTL of a response in seconds, or null if it is not cached. */
const cachedSeconds = (call: ExampleCall, reply: ScriptedClient.ScriptedReply) =>
  Effect.gen(function*() {
    const [harness, entries] = yield* withInspectableStore(TestClients.harness(() => reply, options))
    yield* Effect.ignore(call(harness))
    const [entry] = entries.values()
    if (entry === undefined) return null
    // Fresh until the TTL ends, and stale afterwards.
    const ttl = entry.freshUntil - entry.storedAt
    yield* TestClock.adjust(ttl - 1)
    yield* Effect.ignore(call(harness))
    expect(harness.requests).toHaveLength(1)
    yield* TestClock.adjust(1)
    yield* Effect.ignore(call(harness))
    expect(harness.requests).toHaveLength(2)
    return ttl / 1000
  })

const callOf = (id: string): ExampleCall => (clients) =>
  examples.find((example) => example.id === id)?.call(clients) ?? Effect.dieMessage(`no ${id}`)

const nfts = ["contractNfts", "nftOwners", "nftMetadata"]

describe("a response", () => {
  const expectedTtls: Readonly<Record<string, number | null>> = {
    nftMetadata: 300,
    ledgerTransaction: null,
    updateStreamStatus: null
  }

  it.effect.each(examples)(
    "of $id is cached for the operation's TTL",
    ({ call, document, id }) =>
      Effect.gen(function*() {
        expect(yield* cachedSeconds(call, ScriptedClient.json(document))).toBe(
          id in expectedTtls ? expectedTtls[id] : 5
        )
      })
  )

  const ledger = [
    ["user_transaction", true],
    ["genesis_transaction", true],
    ["block_metadata_transaction", true],
    ["state_checkpoint_transaction", true],
    ["validator_transaction", true],
    ["block_epilogue_transaction", true],
    ["pending_transaction", false],
    ["transaction_of_tomorrow", false]
  ] as const

  it.effect.each(ledger)(
    "of the ledger with type %s is cached without expiry: %s",
    ([type, forever]) =>
      Effect.gen(function*() {
        const call: ExampleCall = ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash })
        const ttl = yield* cachedSeconds(
          call,
          ScriptedClient.json({ type, hash, sender: "0x1", version: "7" })
        )
        expect(ttl).toBe(forever ? Duration.toSeconds("30 days") : null)
      })
  )

  it.effect.each(examples.filter(({ method }) => method === "GET"))(
    "of $id with an unexpected shape is not cached",
    ({ call }) =>
      Effect.gen(function*() {
        expect(yield* cachedSeconds(call, ScriptedClient.json([1]))).toBeNull()
        expect(yield* cachedSeconds(call, ScriptedClient.json("text"))).toBeNull()
      })
  )

  it.effect.each(["contractNfts", "nftOwners"])(
    "of %s is not cached while the collection is indexed, nor if the page is empty",
    (id) =>
      Effect.gen(function*() {
        const page = (more: object) => ScriptedClient.json({ cursor: null, result: [], ...more })
        const page1 = { result: [{ token_address: contract, token_id: "9" }] }
        expect(yield* cachedSeconds(callOf(id), page({ ...page1, status: "SYNCED" }))).toBe(5)
        expect(yield* cachedSeconds(callOf(id), page({ ...page1, status: "SYNCING" }))).toBeNull()
        expect(yield* cachedSeconds(callOf(id), page({ status: "SYNCED" }))).toBeNull()
        expect(yield* cachedSeconds(callOf(id), page({}))).toBeNull()
      })
  )

  it.effect("of another list is cached even if it is empty", () =>
    Effect.gen(function*() {
      const empty = ScriptedClient.json({ cursor: null, result: [] })
      expect(yield* cachedSeconds(callOf("walletTransfers"), empty)).toBe(5)
      expect(yield* cachedSeconds(callOf("tokenOwners"), empty)).toBe(5)
    }))
})

describe("an error", () => {
  const failures: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[201, 204, 302, 401, 402, 403, 407, 408, 424, 429, 500, 501, 502, 503, 504].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status, status === 204 ? null : "{}")] as const
    ),
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["no document", ScriptedClient.respond(200)],
    ["a broken connection", ScriptedClient.Disconnect({ code: "ECONNRESET" })]
  ]

  it.effect.each(failures)("is not cached: %s", ([, reply]) =>
    Effect.gen(function*() {
      expect(yield* cachedSeconds(callOf("tokenPrice"), reply)).toBeNull()
      expect(yield* cachedSeconds(callOf("nftMetadata"), reply)).toBeNull()
    }))
})

describe("a rejection", () => {
  const reads = examples.filter(({ method }) => method === "GET")

  it.effect.each(reads)(
    "with not found of $id is cached briefly, except of NFT metadata",
    ({ call, id }) =>
      Effect.gen(function*() {
        const ttl = nfts.includes(id) ? null : 5
        expect(yield* cachedSeconds(call, ScriptedClient.respond(404))).toBe(ttl)
        expect(yield* cachedSeconds(call, ScriptedClient.respond(410))).toBe(ttl)
      })
  )

  it.effect("with not found is cached for the TTL of the policy", () =>
    Effect.gen(function*() {
      const cache = { ...cachingOptions.cache, negative: { notFound: "2 minutes" } } as const
      const [harness, entries] = yield* withInspectableStore(
        TestClients.harness(() => ScriptedClient.respond(404), { ...cachingOptions, cache })
      )
      yield* Effect.ignore(harness.data.tokenPrice({ address }))
      expect([...entries.values()].map(({ freshUntil }) => freshUntil)).toEqual([120_000])
    }))

  it.effect("is never served stale, even if the upstream fails", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (_, number) => ScriptedClient.respond(number === 1 ? 404 : 500),
        cachingOptions
      )
      expect(yield* Effect.flip(harness.data.tokenPrice({ address }))).toMatchObject({
        _tag: "NotFoundError"
      })
      yield* TestClock.adjust(4999)
      expect(yield* Effect.flip(harness.data.tokenPrice({ address }))).toMatchObject({
        _tag: "NotFoundError"
      })
      yield* TestClock.adjust(1)
      expect(yield* Effect.flip(harness.data.tokenPrice({ address }))).toMatchObject({ _tag: "ServerError" })
      expect(harness.requests).toHaveLength(2)
    }))
})

describe("a response that contains the API key", () => {
  const variants = [TestClients.key, JSON.stringify(TestClients.key).replaceAll("-", "\\u002d").slice(1, -1)]

  it.effect.each(variants)("is not cached: %s", (text) =>
    Effect.gen(function*() {
      const body = `{"usdPrice":1,"tokenName":"${text}"}`
      expect(yield* cachedSeconds(callOf("tokenPrice"), ScriptedClient.respond(200, body))).toBeNull()
      expect(
        yield* cachedSeconds(callOf("tokenPrice"), ScriptedClient.respond(404, `{"message":"no ${text}"}`))
      ).toBeNull()
    }))
})

describe("the TTL of a response up to a block", () => {
  /** An upstream with prices, and with transfers in a block. */
  const service = (block: number) => ({ url }: ScriptedClient.RecordedRequest) =>
    ScriptedClient.json(
      url.pathname.endsWith("/price")
        ? { usdPrice: 1 }
        : {
          cursor: null,
          result: [3, block, 5].map((block_number) => ({
            transaction_hash: hash,
            block_number,
            log_index: 1
          }))
        }
    )

  /** Returns the TTL in seconds of a price at a block, after a response has shown a block. */
  const priceTtl = (
    head: { readonly block: number; readonly chain?: "eth" | "bsc"; readonly elsewhere?: boolean },
    input: { readonly block: number; readonly chain?: "eth" | "bsc" }
  ) =>
    Effect.gen(function*() {
      const at = (baseUrl: string) => ({ ...options, baseUrl })
      const [{ clients }, entries] = yield* withInspectableStore(
        TestClients.sharedEngine(service(head.block), {
          here: at("https://here.test"),
          there: at("https://there.test")
        })
      )
      const client = head.elsewhere === true ? clients.there : clients.here
      yield* client.data.walletTransfers({
        address,
        ...(head.chain === undefined ? {} : { chain: head.chain })
      })
      entries.clear()
      yield* clients.here.data.tokenPrice({
        address,
        to_block: input.block,
        ...(input.chain === undefined ? {} : { chain: input.chain })
      })
      const [entry] = entries.values()
      return entry === undefined ? null : (entry.freshUntil - entry.storedAt) / 1000
    })

  const hour = 3600

  it.effect("is an hour from 1,000 blocks below the highest block on, and seconds above", () =>
    Effect.gen(function*() {
      expect(yield* priceTtl({ block: 5000 }, { block: 4000 })).toBe(hour)
      expect(yield* priceTtl({ block: 5000 }, { block: 1 })).toBe(hour)
      expect(yield* priceTtl({ block: 5000 }, { block: 4001 })).toBe(5)
      expect(yield* priceTtl({ block: 5000 }, { block: 5000 })).toBe(5)
      expect(yield* priceTtl({ block: 999 }, { block: 0 })).toBe(5)
      expect(yield* priceTtl({ block: 1000 }, { block: 0 })).toBe(hour)
    }))

  it.effect("depends only on blocks of the same chain and base URL", () =>
    Effect.gen(function*() {
      expect(yield* priceTtl({ block: 5000, chain: "eth" }, { block: 1, chain: "eth" })).toBe(hour)
      expect(yield* priceTtl({ block: 5000, chain: "bsc" }, { block: 1, chain: "eth" })).toBe(5)
      expect(yield* priceTtl({ block: 5000 }, { block: 1, chain: "eth" })).toBe(5)
      expect(yield* priceTtl({ block: 5000, elsewhere: true }, { block: 1 })).toBe(5)
    }))

  it.effect("depends on the highest block seen so far", () =>
    Effect.gen(function*() {
      let block = 5000
      const [harness, entries] = yield* withInspectableStore(
        TestClients.harness((input) => service(block)(input), options)
      )
      yield* harness.data.walletTransfers({ address })
      block = 10
      yield* harness.data.walletTransfers({ address: contract })
      entries.clear()
      yield* harness.data.tokenPrice({ address, to_block: 4000 })
      expect([...entries.values()].map(({ freshUntil }) => freshUntil)).toEqual([hour * 1000])
    }))

  it.effect("ignores invalid block numbers", () =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(TestClients.harness(({ url }) =>
        ScriptedClient.json(
          url.pathname.endsWith("/price")
            ? { usdPrice: 1, block_number: "1e999" }
            : { address, active_chains: [], block_number: "many" }
        ), options))
      yield* harness.data.walletChains({ address })
      yield* harness.data.tokenPrice({ address })
      entries.clear()
      yield* harness.data.tokenPrice({ address, to_block: 1 })
      expect([...entries.values()].map(({ freshUntil }) =>
        freshUntil
      )).toEqual([5000])
    }))
})
