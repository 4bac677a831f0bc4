/** Which answers are kept, and for how long. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { cachingOptions, noStaleResponses, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, contract, examples, hash, updateStreamStatus } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

const options = { ...cachingOptions, cache: noStaleResponses }

type ExampleCall = (clients: TestClients.Clients) => Effect.Effect<unknown, OperationError>

/** For how long the answer to a question is kept, in seconds; null where it is not. */
const cachedSeconds = (ask: ExampleCall, reply: ScriptedClient.ScriptedReply) =>
  Effect.gen(function*() {
    const [harness, kept] = yield* withInspectableStore(TestClients.harness(() => reply, options))
    yield* Effect.ignore(ask(harness))
    const [entry] = kept.values()
    if (entry === undefined) return null
    // It is there for that long, and no longer.
    const ttl = entry.freshUntil - entry.storedAt
    yield* TestClock.adjust(ttl - 1)
    yield* Effect.ignore(ask(harness))
    expect(harness.requests).toHaveLength(1)
    yield* TestClock.adjust(1)
    yield* Effect.ignore(ask(harness))
    expect(harness.requests).toHaveLength(2)
    return ttl / 1000
  })

const callOf = (id: string): ExampleCall => (clients) =>
  examples.find((example) => example.id === id)?.call(clients) ?? Effect.dieMessage(`no ${id}`)

const nfts = ["contractNfts", "nftOwners", "nftMetadata"]

describe("an answer", () => {
  const expectedTtls: Readonly<Record<string, number | null>> = {
    nftMetadata: 300,
    ledgerTransaction: null,
    updateStreamStatus: null
  }

  it.effect.each(examples)(
    "to $id is kept for as long as it stays true",
    ({ call: ask, document, id }) =>
      Effect.gen(function*() {
        expect(yield* cachedSeconds(ask, ScriptedClient.json(document))).toBe(
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
    "of the ledger, a %s, is kept for ever: %s",
    ([type, forever]) =>
      Effect.gen(function*() {
        const ask: ExampleCall = ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash })
        const ttl = yield* cachedSeconds(
          ask,
          ScriptedClient.json({ type, hash, sender: "0x1", version: "7" })
        )
        expect(ttl).toBe(forever ? Duration.toSeconds("30 days") : null)
      })
  )

  it.effect.each(examples.filter(({ method }) => method === "GET"))(
    "to $id that is of another shape is not kept",
    ({ call: ask }) =>
      Effect.gen(function*() {
        expect(yield* cachedSeconds(ask, ScriptedClient.json([1]))).toBeNull()
        expect(yield* cachedSeconds(ask, ScriptedClient.json("text"))).toBeNull()
      })
  )

  it.effect.each(["contractNfts", "nftOwners"])(
    "of %s is not kept while it is indexed, nor an empty page",
    (id) =>
      Effect.gen(function*() {
        const page = (more: object) => ScriptedClient.json({ cursor: null, result: [], ...more })
        const one = { result: [{ token_address: contract, token_id: "9" }] }
        expect(yield* cachedSeconds(callOf(id), page({ ...one, status: "SYNCED" }))).toBe(5)
        expect(yield* cachedSeconds(callOf(id), page({ ...one, status: "SYNCING" }))).toBeNull()
        expect(yield* cachedSeconds(callOf(id), page({ status: "SYNCED" }))).toBeNull()
        expect(yield* cachedSeconds(callOf(id), page({}))).toBeNull()
      })
  )

  it.effect("of another list is kept though it is empty", () =>
    Effect.gen(function*() {
      const empty = ScriptedClient.json({ cursor: null, result: [] })
      expect(yield* cachedSeconds(callOf("walletTransfers"), empty)).toBe(5)
      expect(yield* cachedSeconds(callOf("tokenOwners"), empty)).toBe(5)
    }))
})

describe("a failure", () => {
  const failures: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[201, 204, 302, 401, 402, 403, 407, 408, 424, 429, 500, 501, 502, 503, 504].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status, status === 204 ? null : "{}")] as const
    ),
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["no document", ScriptedClient.respond(200)],
    ["a broken connection", ScriptedClient.Disconnect({ code: "ECONNRESET" })]
  ]

  it.effect.each(failures)("is never kept: %s", ([, reply]) =>
    Effect.gen(function*() {
      expect(yield* cachedSeconds(callOf("tokenPrice"), reply)).toBeNull()
      expect(yield* cachedSeconds(callOf("nftMetadata"), reply)).toBeNull()
    }))

  it.effect("of an update is never kept, nor its answer", () =>
    Effect.gen(function*() {
      for (
        const reply of [404, 400, 200].map((status) =>
          ScriptedClient.json(updateStreamStatus.document, status)
        )
      ) {
        expect(yield* cachedSeconds(updateStreamStatus.call, reply)).toBeNull()
      }
    }))
})

describe("a refusal", () => {
  const reads = examples.filter(({ method }) => method === "GET")

  it.effect.each(reads)(
    "of $id as not there is kept for a moment, but not where an NFT may be indexed",
    ({ call: ask, id }) =>
      Effect.gen(function*() {
        const ttl = nfts.includes(id) ? null : 5
        expect(yield* cachedSeconds(ask, ScriptedClient.respond(404))).toBe(ttl)
        expect(yield* cachedSeconds(ask, ScriptedClient.respond(410))).toBe(ttl)
      })
  )

  it.effect("of metadata that is null is not kept", () =>
    Effect.gen(function*() {
      expect(yield* cachedSeconds(callOf("nftMetadata"), ScriptedClient.json(null))).toBeNull()
    }))

  it.effect.each([400, 401, 403, 405, 409, 418, 422, 451])(
    "that another key may not get is not kept: %d",
    (status) =>
      Effect.gen(function*() {
        expect(yield* cachedSeconds(callOf("tokenPrice"), ScriptedClient.respond(status))).toBeNull()
      })
  )

  it.effect("is kept for as long as the policy says", () =>
    Effect.gen(function*() {
      const cache = { ...cachingOptions.cache, negative: { notFound: "2 minutes" } } as const
      const [harness, kept] = yield* withInspectableStore(
        TestClients.harness(() => ScriptedClient.respond(404), { ...cachingOptions, cache })
      )
      yield* Effect.ignore(harness.data.tokenPrice({ address }))
      expect([...kept.values()].map(({ freshUntil }) => freshUntil)).toEqual([120_000])
    }))

  it.effect("is never given once it is stale, not even where the service fails", () =>
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

describe("an answer that repeats the key", () => {
  const variants = [TestClients.key, JSON.stringify(TestClients.key).replaceAll("-", "\\u002d").slice(1, -1)]

  it.effect.each(variants)("is not kept: %s", (text) =>
    Effect.gen(function*() {
      const body = `{"usdPrice":1,"tokenName":"${text}"}`
      expect(yield* cachedSeconds(callOf("tokenPrice"), ScriptedClient.respond(200, body))).toBeNull()
      expect(
        yield* cachedSeconds(callOf("tokenPrice"), ScriptedClient.respond(404, `{"message":"no ${text}"}`))
      ).toBeNull()
    }))
})
