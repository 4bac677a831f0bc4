/** Chains that programs request, or the clients of a gateway. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expectOpenChains } from "../../../../core/test/support/chains.ts"
import { address } from "../../support/Examples.ts"
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
