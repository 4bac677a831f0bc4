/** Chains that programs request, or the clients of a gateway. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import { expectOpenChains } from "../../../../core/test/support/chains.ts"
import { isFull } from "../../../../core/test/support/sample.ts"
import { cachingOptions, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, hash } from "../../support/Examples.ts"
import { heapUsed } from "../../support/MemoryUsage.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

it.effect("any chain is sent by calls and streams, except for misspelled names", () =>
  Effect.gen(function*() {
    const { data, requests } = yield* TestClients.harness(() =>
      ScriptedClient.json({ cursor: null, result: [] })
    )
    const sentBy = (call: (chain: string) => Effect.Effect<unknown, unknown>, isInList = false) =>
      Effect.promise(() =>
        expectOpenChains(async (chain) => {
          await Effect.runPromise(Effect.ignore(call(chain)))
          return requests.splice(0).flatMap(({ url }) =>
            ["chain", "chains[]"].flatMap((name) => url.searchParams.getAll(name))
          )
        }, isInList)
      )
    yield* sentBy((chain) => data.tokenOwners({ token_address: address, chain }))
    yield* sentBy((chain) => data.walletChains({ address, chains: [chain] }), true)
    yield* sentBy((chain) => Stream.runDrain(data.walletNftTrades.items({ address, chain })))
  }))

it.effect.runIf(isFull)(
  "an engine keeps nothing of chains, neither in metrics nor elsewhere",
  () =>
    Effect.gen(function*() {
      const script = () =>
        ScriptedClient.json({ cursor: null, result: [{ transaction_hash: hash, block_number: 5 }] })
      const [{ data, requests }, entries] = yield* withInspectableStore(
        TestClients.harness(script, cachingOptions)
      )
      const nameLength = 10_000
      let names = 0
      const callWithNewChains = (count: number) =>
        Effect.gen(function*() {
          for (let call = 0; call < count; call++) {
            yield* data.tokenTransfers({ address, chain: `unheard-${names++}`.padEnd(nameLength, "x") })
            requests.length = 0
            entries.clear()
          }
          return heapUsed()
        })
      // More than the chains whose highest block is known
      let before = yield* callWithNewChains(300)
      // If it kept them, every round would add all of them. Other growth, as of compiled code, ends.
      const growth = Effect.map(callWithNewChains(300), (after) => {
        const grown = after - before
        before = after
        return grown
      })
      yield* Effect.repeat(growth, { until: (bytes) => bytes < 150 * nameLength })
      const series = yield* Metric.snapshot
      expect(series.length).toBeGreaterThan(0)
      expect(JSON.stringify(series.map(({ metricKey }) => metricKey.tags))).not.toContain("unheard")
    })
)
