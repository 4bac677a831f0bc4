/** What a wallet holds, computed from its transfers. The tests show how such code is tested. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Returns the balances of a wallet by token contract, in the tokens' smallest units. Reads all transfers on eth. */
export const holdings = (wallet: string) =>
  Effect.gen(function*() {
    const data = yield* DataApi.DataApi
    const address = wallet.toLowerCase()
    const balances = new Map<string, bigint>()
    yield* data.walletTransfers.items({ address, chain: "eth" }).pipe(
      Stream.runForEach((transfer) =>
        Effect.sync(() => {
          const token = transfer.address ?? "unknown"
          const received = transfer.to_address?.toLowerCase() === address ? transfer.value ?? 0n : 0n
          const sent = transfer.from_address?.toLowerCase() === address ? transfer.value ?? 0n : 0n
          balances.set(token, (balances.get(token) ?? 0n) + received - sent)
        })
      )
    )
    return balances
  })
