/** Tenants of several processes that share stores. */
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import { DataApi } from "@blockquarry/http/DataApi"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ScriptedClient from "../../http/test/support/ScriptedClient.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Connected from "./support/Connected.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

describe.skipIf(RedisServer.program === undefined)(`tenants${RedisServer.skipReason}`, () => {
  it.scopedLive("share cached responses and limits with themselves in another process, and with no other tenant", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      const { client, requests } = ScriptedClient.make(({ headers }) =>
        ScriptedClient.json({ usdPrice: headers["x-api-key"]?.length ?? 0 })
      )
      const process = Effect.map(
        Layer.build(Blockquarry.layer({
          apiKey: Redacted.make("the key of the layer"),
          baseUrls: { data: "https://host.test" },
          cache: {},
          rateLimit: { limit: 3, window: "1 hour", maxWait: 0 },
          stores: Layer.provide(RedisStores.layerOn({}), Connected.layer({ url: server.url }))
        })).pipe(Effect.provideService(HttpClient.HttpClient, client)),
        Context.get(DataApi)
      )
      const processes = [yield* process, yield* process]
      const isStored = Effect.map(
        inspector.keys,
        (keys) => keys.filter((key) => key.startsWith("quarry:response:1:")).length === requests.length
      )
      const prices = (address: string, apiKey: string) =>
        Effect.forEach(processes, (data) =>
          Effect.zipLeft(
            Effect.either(data.tokenPrice({ address }, { apiKey: Redacted.make(apiKey) })),
            until(isStored)
          ))
      const address = `0x${"1".repeat(40)}`
      for (const key of ["tenant-one", "the second tenant"]) {
        const right = expect.objectContaining({ usdPrice: key.length })
        expect(yield* prices(address, key)).toMatchObject([{ right }, { right }])
        const left = { _tag: "LocalLimitError", limit: "rate" }
        expect(yield* prices(`0x${"2".repeat(40)}`, key)).toMatchObject([{ left }, { left }])
      }
      expect(requests).toHaveLength(2)
    }))
})
