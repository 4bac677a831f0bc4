/** Chains that clients of the proxy request. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expectOpenChains } from "../../../packages/core/test/support/chains.ts"
import { sendRequest, start } from "./support/proxy.ts"
import { upstreamOf } from "./support/staticUpstream.ts"

const address = `0x${"a1".repeat(20)}`
const prefix = "/api/v2.2"

it.scopedLive.each<readonly [what: string, path: string]>([
  ["of a record", `${prefix}/erc20/${address}/price?chain=`],
  ["of a list", `${prefix}/${address}/erc20/transfers?chain=`],
  ["of a whole list", `/all${prefix}/${address}/erc20/transfers?chain=`],
  ["of several", `${prefix}/wallets/${address}/chains?chains=`]
])("any chain %s passes, except for misspelled names", ([, path]) =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const { port } = yield* start({
      httpClient: upstreamOf((url) => {
        sent.push(
          ...[...url.searchParams].flatMap(([name, value]) => name.startsWith("chain") ? [value] : [])
        )
        return new Response(JSON.stringify({ usdPrice: 1, cursor: null, result: [] }))
      })
    })
    yield* Effect.promise(() =>
      expectOpenChains(async (chain) => {
        await Effect.runPromise(sendRequest(port, path + encodeURIComponent(chain)))
        return sent.splice(0)
      }, path.endsWith("chains="))
    )
  }))
