/** Which answers are kept, and for how long. */
import type { QueryError } from "@blockquarry/core/QueryError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { address, contract, examples, hash, updateStreamStatus } from "../support/Examples.ts"
import { caching, noStale, spying } from "../support/Keeping.ts"
import * as Scripted from "../support/Scripted.ts"

const options = { ...caching, cache: noStale }

type Ask = (clients: Clients.Clients) => Effect.Effect<unknown, QueryError>

/** For how long the answer to a question is kept, in seconds; null where it is not. */
const keptFor = (ask: Ask, reply: Scripted.Reply) =>
  Effect.gen(function*() {
    const [scene, kept] = yield* spying(Clients.scene(() => reply, options))
    yield* Effect.ignore(ask(scene))
    const [entry] = kept.values()
    if (entry === undefined) return null
    // It is there for that long, and no longer.
    const lasts = entry.freshUntil - entry.storedAt
    yield* TestClock.adjust(lasts - 1)
    yield* Effect.ignore(ask(scene))
    expect(scene.asked).toHaveLength(1)
    yield* TestClock.adjust(1)
    yield* Effect.ignore(ask(scene))
    expect(scene.asked).toHaveLength(2)
    return lasts / 1000
  })

const ofId = (id: string): Ask => (clients) =>
  examples.find((example) => example.id === id)?.ask(clients) ?? Effect.dieMessage(`no ${id}`)

const nfts = ["contractNfts", "nftOwners", "nftMetadata"]

describe("an answer", () => {
  const lasting: Readonly<Record<string, number | null>> = {
    nftMetadata: 300,
    ledgerTransaction: null,
    updateStreamStatus: null
  }

  it.effect.each(examples)(
    "to $id is kept for as long as it stays true",
    ({ ask, document, id }) =>
      Effect.gen(function*() {
        expect(yield* keptFor(ask, Scripted.json(document))).toBe(id in lasting ? lasting[id] : 5)
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
        const ask: Ask = ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash })
        const lasts = yield* keptFor(ask, Scripted.json({ type, hash, sender: "0x1", version: "7" }))
        expect(lasts).toBe(forever ? Duration.toSeconds("30 days") : null)
      })
  )

  it.effect.each(examples.filter(({ method }) => method === "GET"))(
    "to $id that is of another shape is not kept",
    ({ ask }) =>
      Effect.gen(function*() {
        expect(yield* keptFor(ask, Scripted.json([1]))).toBeNull()
        expect(yield* keptFor(ask, Scripted.json("text"))).toBeNull()
      })
  )

  it.effect.each(["contractNfts", "nftOwners"])(
    "of %s is not kept while it is indexed, nor an empty page",
    (id) =>
      Effect.gen(function*() {
        const page = (more: object) => Scripted.json({ cursor: null, result: [], ...more })
        const one = { result: [{ token_address: contract, token_id: "9" }] }
        expect(yield* keptFor(ofId(id), page({ ...one, status: "SYNCED" }))).toBe(5)
        expect(yield* keptFor(ofId(id), page({ ...one, status: "SYNCING" }))).toBeNull()
        expect(yield* keptFor(ofId(id), page({ status: "SYNCED" }))).toBeNull()
        expect(yield* keptFor(ofId(id), page({}))).toBeNull()
      })
  )

  it.effect("of another list is kept though it is empty", () =>
    Effect.gen(function*() {
      const empty = Scripted.json({ cursor: null, result: [] })
      expect(yield* keptFor(ofId("walletTransfers"), empty)).toBe(5)
      expect(yield* keptFor(ofId("tokenOwners"), empty)).toBe(5)
    }))
})

describe("a failure", () => {
  const failures: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ...[201, 204, 302, 401, 402, 403, 407, 408, 424, 429, 500, 501, 502, 503, 504].map((status) =>
      [`a ${status}`, Scripted.answer(status, status === 204 ? null : "{}")] as const
    ),
    ["half a document", Scripted.answer(200, "{\"usdPrice\":")],
    ["no document", Scripted.answer(200)],
    ["a broken connection", Scripted.Fault({ code: "ECONNRESET" })]
  ]

  it.effect.each(failures)("is never kept: %s", ([, reply]) =>
    Effect.gen(function*() {
      expect(yield* keptFor(ofId("tokenPrice"), reply)).toBeNull()
      expect(yield* keptFor(ofId("nftMetadata"), reply)).toBeNull()
    }))

  it.effect("of an update is never kept, nor its answer", () =>
    Effect.gen(function*() {
      for (
        const reply of [404, 400, 200].map((status) => Scripted.json(updateStreamStatus.document, status))
      ) {
        expect(yield* keptFor(updateStreamStatus.ask, reply)).toBeNull()
      }
    }))
})

describe("a refusal", () => {
  const reads = examples.filter(({ method }) => method === "GET")

  it.effect.each(reads)(
    "of $id as not there is kept for a moment, but not where an NFT may be indexed",
    ({ ask, id }) =>
      Effect.gen(function*() {
        const lasts = nfts.includes(id) ? null : 5
        expect(yield* keptFor(ask, Scripted.answer(404))).toBe(lasts)
        expect(yield* keptFor(ask, Scripted.answer(410))).toBe(lasts)
      })
  )

  it.effect("of metadata that is null is not kept", () =>
    Effect.gen(function*() {
      expect(yield* keptFor(ofId("nftMetadata"), Scripted.json(null))).toBeNull()
    }))

  it.effect.each([400, 401, 403, 405, 409, 418, 422, 451])(
    "that another key may not get is not kept: %d",
    (status) =>
      Effect.gen(function*() {
        expect(yield* keptFor(ofId("tokenPrice"), Scripted.answer(status))).toBeNull()
      })
  )

  it.effect("is kept for as long as the policy says", () =>
    Effect.gen(function*() {
      const cache = { ...caching.cache, negative: { NotFound: "2 minutes" } } as const
      const [scene, kept] = yield* spying(Clients.scene(() => Scripted.answer(404), { ...caching, cache }))
      yield* Effect.ignore(scene.data.tokenPrice({ address }))
      expect([...kept.values()].map(({ freshUntil }) => freshUntil)).toEqual([120_000])
    }))

  it.effect("is never given once it is stale, not even where the service fails", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene((_, number) => Scripted.answer(number === 1 ? 404 : 500), caching)
      expect(yield* Effect.flip(scene.data.tokenPrice({ address }))).toMatchObject({ _tag: "NotFound" })
      yield* TestClock.adjust(4999)
      expect(yield* Effect.flip(scene.data.tokenPrice({ address }))).toMatchObject({ _tag: "NotFound" })
      yield* TestClock.adjust(1)
      expect(yield* Effect.flip(scene.data.tokenPrice({ address }))).toMatchObject({ _tag: "ServiceFailed" })
      expect(scene.asked).toHaveLength(2)
    }))
})

describe("an answer that repeats the key", () => {
  const spelled = [Clients.key, JSON.stringify(Clients.key).replaceAll("-", "\\u002d").slice(1, -1)]

  it.effect.each(spelled)("is not kept: %s", (text) =>
    Effect.gen(function*() {
      const body = `{"usdPrice":1,"tokenName":"${text}"}`
      expect(yield* keptFor(ofId("tokenPrice"), Scripted.answer(200, body))).toBeNull()
      expect(yield* keptFor(ofId("tokenPrice"), Scripted.answer(404, `{"message":"no ${text}"}`))).toBeNull()
    }))
})
