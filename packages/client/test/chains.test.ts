/** Chains of requests with promises. */
import { createClient } from "@blockquarry/client"
import { it } from "vitest"
import { expectOpenChains } from "../../core/test/support/chains.ts"

const address = `0x${"a1".repeat(20)}`

it("any chain is sent, except for misspelled names", async () => {
  const sent: Array<string> = []
  const client = createClient({
    apiKey: "key",
    baseUrl: "https://upstream.test",
    fetch: (input) => {
      sent.push(...new URL(new Request(input).url).searchParams.getAll("chain"))
      return Promise.resolve(new Response(JSON.stringify({ usdPrice: 1, cursor: null, result: [] })))
    }
  })
  const sentBy = (call: (chain: string) => PromiseLike<unknown>) =>
    expectOpenChains(async (chain) => {
      await Promise.resolve(call(chain)).catch(() => null)
      return sent.splice(0)
    })
  await sentBy((chain) => client.tokenPrice({ address, chain }))
  await sentBy((chain) => client.walletTransfers.pages({ address, chain })[Symbol.asyncIterator]().next())
})
