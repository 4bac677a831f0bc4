/** Records of the admin listener: pages, access to them, purging, status and overrides. */
import * as Redacted from "effect/Redacted"
import { describe, it } from "vitest"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import { configuredTokens, openAdmin, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, matches, named, pretty, recorder, type Sent, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const metadata = sampleRequests["nftMetadata"]?.path ?? ""

/** A closed port. */
const unreachable = Redacted.make("redis://127.0.0.1:1")

const admin = (sent: Sent = {}): Sent => ({ to: "admin", ...sent })

const purge = (sent: Sent = {}): Sent => admin({ method: "POST", ...sent })

describe("golden records", () => {
  it("of the admin listener", async () => {
    const { end, replay } = recorder("admin")
    const nothing = { elsewhere: "nothing" }
    await replay("that requires no token", { config: withCache }, {
      "HEAD of /usage": nothing,
      "HEAD of /purge": nothing
    })
    await replay("with tokens", {
      config: {
        admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash("of-the-operator")]), open: "none" }
      }
    })
    await end()
  })

  it("of purging", async () => {
    const { end, replay } = recorder("purge")
    await replay("with a cache", { config: withCache })
    await end()
  })

  it("of the status", async () => {
    const { close, pass, proxy, send } = recorder("status")
    const clients = [
      testClient("shop", "of-the-shop", { rateLimit: { limit: 100, window: 1000 }, dailyQuota: 340 }),
      testClient("game", "of-the-game", {
        rateLimit: { limit: 600, window: 60_000 },
        dailyQuota: { soft: 50, hard: 1000 }
      }),
      testClient("idle", "of-the-idle", { monthlyQuota: { soft: 50 } })
    ]
    const teams = [{ name: "front", clients: ["shop", "idle"], dailyQuota: 500, monthlyQuota: null }]
    const quotas = { ...defaults.quotas, monthlyQuota: { soft: 1000 }, billingDay: 15 }
    await proxy("with clients", { config: { ...withCache, clients, teams, quotas } })
    const shop = { headers: ["X-API-Key: of-the-shop"] }
    const game = { headers: ["X-API-Key: of-the-game"] }
    await send("a miss", price, shop)
    await send("a hit", price, shop)
    await pass(7000)
    await send("stale, while the cache entry is updated", price, shop)
    await send("no token", price)
    await send("not allowed", `/streams/evm/${examples.stream}/status`, {
      method: "POST",
      headers: [...game.headers, "Content-Type: application/json"],
      body: "{}"
    })
    await send("not found", `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`, game)
    await send("a failure of the upstream", metadata, {
      ...game,
      upstream: Array(10).fill({ status: 500, body: "{}" })
    })
    await send("a timeout", metadata, { ...game, upstream: Array(10).fill("silent") })
    await send("a list", `/all/api/v2.2/erc20/${examples.token}/owners?chain=eth`, game)
    for (let number = 1; number <= 4; number += 1) {
      await send(`until the daily quota is exhausted: ${number}`, price, shop)
    }
    await send("an unknown path", "/nowhere")
    await send("a rejected key", metadata, { ...game, upstream: [{ status: 401, body: "{}" }] })
    const [response] = await send(
      "the status",
      "/status.json",
      admin({ elsewhere: "it is in a separate file" })
    )
    await matches(named(pretty(JSON.parse(response?.body ?? "")), []), "status.json")
    await close()
  })

  it("of overrides", async () => {
    const { end, replay } = recorder("overrides")
    await replay("with two clients", {
      config: {
        ...withCache,
        admin: {
          ...openAdmin,
          tokens: configuredTokens([`${Tokens.hash("of-alice")} alice`, Tokens.hash("unnamed")])
        },
        clients: [testClient("shop", "of-the-shop"), testClient("game", "of-the-game")],
        listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1"] }
      }
    })
    await end()
  })

  it("of an unavailable Redis", async () => {
    const { send, end, logged, pass, proxy } = recorder("redis-unavailable")
    const { lines } = await proxy("with Redis at a closed port", {
      config: {
        ...withCache,
        admin: { ...openAdmin, tokens: configuredTokens([`${Tokens.hash("of-alice")} alice`]) },
        clients: [testClient("shop", "of-the-shop", { rateLimit: { limit: 100, window: 1000 } })],
        redis: { url: unreachable, keyPrefix: "quarry:", whenUnavailable: "share" }
      }
    })
    // The first check of the store: the connection is refused before any request needs it
    await pass(1000)
    await until("the store is reported as unavailable", () => lines.length > 0)
    await send("the whole cache is purged", "/purge", purge())
    await send("one is purged", `/purge?target=${encodeURIComponent(price)}`, purge())
    await send("a price", price, { headers: ["X-API-Key: of-the-shop"] })
    const alice = purge({ headers: ["Authorization: Bearer of-alice"] })
    await send("a client is disabled", "/disable?client=shop", alice)
    await send("its request", price, { headers: ["X-API-Key: of-the-shop"] })
    await send("an unknown process drains", "/drain?process=one", alice)
    await pass(4000)
    await logged("usage cannot be saved")
    await end()
  })
})
