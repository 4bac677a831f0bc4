/** Tests the TTL of data up to a block, which depends on the highest block seen so far. The timelines show other TTLs. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cachingOptions, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, hash } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness } from "../../support/TestEngine.ts"

const options = {
  ...cachingOptions,
  cache: { ...cachingOptions.cache, staleWhileRevalidate: 0, staleIfError: 0 }
}

const [hour, seconds] = [3600, 5]

/** An upstream with prices, and with transfers in blocks. */
const service = (...blocks: ReadonlyArray<unknown>) => ({ url }: ScriptedClient.RecordedRequest) => {
  const result = blocks.map((block_number) => ({ transaction_hash: hash, block_number, log_index: 1 }))
  const body = JSON.stringify(
    url.pathname.endsWith("/price")
      ? { usdPrice: 1, block_number: "1e999" }
      : url.pathname.endsWith("/chains")
      ? { address, active_chains: [{ chain: "polygon", first_transaction: { block_number: 5000 } }] }
      : { cursor: null, result },
    null,
    blocks.length
  )
  return ScriptedClient.respond(200, body, { "content-length": String(Buffer.byteLength(body)) })
}

interface Case {
  /** The blocks that a list has shown. */
  readonly shown: ReadonlyArray<unknown>
  readonly chain?: string
  readonly via?: "here" | "there"
  /** The block of the price. */
  readonly block: number
  readonly ttl: number
}

const cases: ReadonlyArray<Case> = [
  { shown: [3, 5000, 5], block: 4000, ttl: hour },
  { shown: [5000], block: 1, ttl: hour },
  { shown: [5000], block: 4001, ttl: seconds },
  { shown: [999], block: 0, ttl: seconds },
  { shown: [1000], block: 0, ttl: hour },
  { shown: ["5000", 1], block: 4000, ttl: hour },
  { shown: [], block: 1, ttl: seconds },
  { shown: ["9".repeat(20)], block: 1, ttl: seconds },
  { shown: [5000], chain: "bsc", block: 1, ttl: seconds },
  { shown: [5000], via: "there", block: 1, ttl: seconds }
]

it.effect.each(cases)(
  "$shown, shown for the chain $chain via $via, give a price at $block a TTL of $ttl s",
  ({ block, chain = "eth", shown, ttl, via = "here" }) =>
    Effect.gen(function*() {
      const [{ clients }, entries] = yield* withInspectableStore(
        TestClients.sharedEngine(service(...shown), {
          here: { ...options, baseUrl: "https://here.test" },
          there: { ...options, baseUrl: "https://there.test" }
        })
      )
      yield* Effect.ignore(clients[via].data.walletTransfers({ address, chain }))
      // Its blocks belong to several chains.
      yield* clients.here.data.walletChains({ address })
      entries.clear()
      yield* clients.here.data.tokenPrice({ address, to_block: block, chain: "eth" })
      expect(Array.from(entries.values(), ({ freshUntil }) => freshUntil / 1000)).toEqual([ttl])
    })
)

it.effect("the highest block is the first or the last one of a raw response, which is not parsed", () =>
  Effect.gen(function*() {
    const many = Array.from({ length: 500 }, (_, index) => index)
    for (const shown of [[5000, 10], [10, "5000"], [...many, 5000], ["5000", ...many]]) {
      const [{ sendTo }, entries] = yield* withInspectableStore(engineHarness(service(...shown), options))
      yield* sendTo(walletTransfers, { address })
      entries.clear()
      yield* sendTo(tokenPrice, { address, to_block: 4000 })
      expect(Array.from(entries.values(), ({ freshUntil }) => freshUntil / 1000)).toEqual([hour])
    }
  }))
