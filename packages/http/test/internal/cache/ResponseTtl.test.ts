/** Tests the TTL of data up to a block. The timelines of the cache show other TTLs. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cachingOptions, noStaleResponses, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, contract, hash } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

const options = { ...cachingOptions, cache: noStaleResponses }

it.effect("a response of an unexpected shape is not cached", () =>
  Effect.gen(function*() {
    const [harness, entries] = yield* withInspectableStore(
      TestClients.harness(() => ScriptedClient.json({ usdPrice: "free" }), options)
    )
    yield* Effect.ignore(harness.data.tokenPrice({ address }))
    expect(entries.size).toBe(0)
  }))

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

  it.effect("depends on the blocks of the 256 chains that were used last", () =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(TestClients.harness(service(5000), options))
      const show = (name: string, count: number) =>
        Effect.forEach(
          Array.from({ length: count }, (_, index) => `${name}-${index}`),
          (chain) => harness.data.walletTransfers({ address, chain })
        )
      const ttlOfFirst = Effect.gen(function*() {
        entries.clear()
        yield* harness.data.tokenPrice({ address, chain: "used-0", to_block: 4000 })
        return Array.from(entries.values(), ({ freshUntil, storedAt }) => (freshUntil - storedAt) / 1000)
      })
      yield* show("used", 1)
      yield* show("others", 255)
      expect(yield* ttlOfFirst).toEqual([hour])
      yield* show("more", 255)
      expect(yield* ttlOfFirst).toEqual([hour])
      yield* show("most", 256)
      expect(yield* ttlOfFirst).toEqual([5])
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
