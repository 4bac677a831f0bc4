/** Chains of requests with promises. */
import { type Client, createClient } from "@blockquarry/client"
import { expect, it } from "vitest"
import { expectOpenChains } from "../../core/test/support/chains.ts"

const address = `0x${"a1".repeat(20)}`

/** A client, and the chains that it sends. */
const setup = (): { readonly client: Client; readonly sent: Array<string> } => {
  const sent: Array<string> = []
  const client = createClient({
    apiKey: "key",
    baseUrl: "https://upstream.test",
    fetch: (input) => {
      sent.push(...new URL(new Request(input).url).searchParams.getAll("chain"))
      return Promise.resolve(new Response(JSON.stringify({ usdPrice: 1, cursor: null, result: [] })))
    }
  })
  return { client, sent }
}

it("any chain is sent, except for misspelled names", async () => {
  const { client, sent } = setup()
  const sentBy = (call: (chain: string) => PromiseLike<unknown>) =>
    expectOpenChains(async (chain) => {
      await Promise.resolve(call(chain)).catch(() => null)
      return sent.splice(0)
    })
  await sentBy((chain) => client.tokenPrice({ address, chain }))
  await sentBy((chain) => client.walletTransfers.pages({ address, chain })[Symbol.asyncIterator]().next())
})

it("a misspelled name rejects with the way to send it anyway", async () => {
  await expect(setup().client.tokenPrice({ address, chain: "polgon" })).rejects.toThrow(
    "did you mean polygon? Otherwise, set the chain to its hexadecimal chain ID"
  )
})
