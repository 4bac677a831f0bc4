/** What is far below the highest block that was seen does not change any more. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cachingOptions, noStaleResponses, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, contract, hash } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

const options = { ...cachingOptions, cache: noStaleResponses }

describe("an answer up to a block", () => {
  /** A service whose transfers show a block, and which has prices. */
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

  /** For how long the price at a block is kept after a block was seen on a chain. */
  const priceTtl = (
    seen: { readonly block: number; readonly chain?: "eth" | "bsc"; readonly elsewhere?: boolean },
    requests: { readonly block: number; readonly chain?: "eth" | "bsc" }
  ) =>
    Effect.gen(function*() {
      const at = (baseUrl: string) => ({ ...options, baseUrl })
      const [{ clients }, kept] = yield* withInspectableStore(TestClients.sharedEngine(service(seen.block), {
        here: at("https://here.test"),
        there: at("https://there.test")
      }))
      const client = seen.elsewhere === true ? clients.there : clients.here
      yield* client.data.walletTransfers({
        address,
        ...(seen.chain === undefined ? {} : { chain: seen.chain })
      })
      kept.clear()
      yield* clients.here.data.tokenPrice({
        address,
        to_block: requests.block,
        ...(requests.chain === undefined ? {} : { chain: requests.chain })
      })
      const [entry] = kept.values()
      return entry === undefined ? null : (entry.freshUntil - entry.storedAt) / 1000
    })

  const hour = 3600

  it.effect("is kept for an hour where the block is a thousand below the highest seen, and seconds above", () =>
    Effect.gen(function*() {
      expect(yield* priceTtl({ block: 5000 }, { block: 4000 })).toBe(hour)
      expect(yield* priceTtl({ block: 5000 }, { block: 1 })).toBe(hour)
      expect(yield* priceTtl({ block: 5000 }, { block: 4001 })).toBe(5)
      expect(yield* priceTtl({ block: 5000 }, { block: 5000 })).toBe(5)
      expect(yield* priceTtl({ block: 999 }, { block: 0 })).toBe(5)
      expect(yield* priceTtl({ block: 1000 }, { block: 0 })).toBe(hour)
    }))

  it.effect("goes by what was seen on the same chain at the same address alone", () =>
    Effect.gen(function*() {
      expect(yield* priceTtl({ block: 5000, chain: "eth" }, { block: 1, chain: "eth" })).toBe(hour)
      expect(yield* priceTtl({ block: 5000, chain: "bsc" }, { block: 1, chain: "eth" })).toBe(5)
      expect(yield* priceTtl({ block: 5000 }, { block: 1, chain: "eth" })).toBe(5)
      expect(yield* priceTtl({ block: 5000, elsewhere: true }, { block: 1 })).toBe(5)
    }))

  it.effect("goes by the highest block that was ever seen", () =>
    Effect.gen(function*() {
      let block = 5000
      const [harness, kept] = yield* withInspectableStore(
        TestClients.harness((requests) => service(block)(requests), options)
      )
      yield* harness.data.walletTransfers({ address })
      block = 10
      yield* harness.data.walletTransfers({ address: contract })
      kept.clear()
      yield* harness.data.tokenPrice({ address, to_block: 4000 })
      expect([...kept.values()].map(({ freshUntil }) => freshUntil)).toEqual([hour * 1000])
    }))

  it.effect("is not taken for settled by what no block number is", () =>
    Effect.gen(function*() {
      const [harness, kept] = yield* withInspectableStore(TestClients.harness(({ url }) =>
        ScriptedClient.json(
          url.pathname.endsWith("/price")
            ? { usdPrice: 1, block_number: "1e999" }
            : { address, active_chains: [], block_number: "many" }
        ), options))
      yield* harness.data.walletChains({ address })
      yield* harness.data.tokenPrice({ address })
      kept.clear()
      yield* harness.data.tokenPrice({ address, to_block: 1 })
      expect([...kept.values()].map(({ freshUntil }) => freshUntil)).toEqual([5000])
    }))
})
