/** Records of the admin listener: pages, access to them, purging, status and usage. */
import * as Redacted from "effect/Redacted"
import { describe, it } from "vitest"
import * as Tokens from "../../src/auth/Tokens.ts"
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
    const { send, end, proxy } = recorder("admin")
    await proxy("that requires no token", { config: withCache })
    await send("the status page", "/", admin({ elsewhere: "its text is in status-page-quiet.txt" }))
    await send("the metrics", "/metrics", admin({ elsewhere: "they are in metrics.txt" }))
    await send("the status", "/status.json", admin({ elsewhere: "it is in status.json" }))
    await send("the usage", "/usage", admin({ elsewhere: "it is in usage.json" }))
    await send("liveness", "/livez", admin())
    await send("readiness", "/readyz", admin())
    await send("an unknown path", "/nowhere", admin())
    await send("a path of the proxy", price, admin())
    await send("a malformed path", "/%zz", admin())
    for (const path of ["/usage", "/purge"]) {
      await send(`OPTIONS of ${path}`, path, admin({ method: "OPTIONS" }))
      await send(`HEAD of ${path}`, path, admin({ method: "HEAD", elsewhere: "nothing" }))
      await send(`DELETE of ${path}`, path, admin({ method: "DELETE" }))
    }
    await send("the usage, to another name", "/usage", admin({ host: "quarry.example" }))
    await send("the liveness, to another name", "/livez", admin({ host: "quarry.example" }))
    await send("not HTTP", "", admin({ raw: "hello\r\n\r\n" }))
    await proxy("with tokens", {
      config: {
        admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash("of-the-operator")]), open: "none" }
      }
    })
    for (
      const [title, headers] of [
        ["no token", []],
        ["an unknown token", ["Authorization: Bearer unknown-0"]],
        ["the token", ["Authorization: Bearer of-the-operator"]],
        ["the token as X-API-Key", ["X-API-Key: of-the-operator"]]
      ] as const
    ) await send(`the usage, ${title}`, "/usage", admin({ headers }))
    await send("the usage, with a parameter", "/usage?month=2026-11", admin())
    await send("the usage, with a token in the URL", "/usage?token=of-the-operator", admin())
    await end()
  })

  it("of purging", async () => {
    const { send, end, proxy } = recorder("purge")
    await proxy("with a cache", { config: withCache })
    await send("a miss", price)
    await send("another", metadata)
    await send("one is purged", `/purge?target=${encodeURIComponent(price)}`, purge())
    await send("a miss again", price)
    await send("the other is a hit", metadata)
    await send(
      "by an equivalent URL",
      `/purge?target=${encodeURIComponent(price.replace("=eth", "=0x1"))}`,
      purge()
    )
    await send("a miss again", price)
    await send("the whole cache is purged", "/purge", purge())
    await send("the other is a miss", metadata)
    for (
      const [title, target] of [
        ["an empty target", "/purge?target="],
        ["two targets", "/purge?target=%2Fa&target=%2Fb"],
        ["another parameter", "/purge?path=%2Fa"],
        ["a page", "/purge?target=%2Flivez"],
        ["an unknown path", "/purge?target=%2Fnowhere"],
        ["an update", `/purge?target=%2Fstreams%2Fevm%2F${examples.stream}%2Fstatus`],
        ["a list", `/purge?target=${encodeURIComponent(`/all/api/v2.2/${examples.wallet}/erc20/transfers`)}`],
        ["an invalid parameter", `/purge?target=${encodeURIComponent(`${price}&to_block=x`)}`],
        ["a malformed target", "/purge?target=..%2F"]
      ] as const
    ) await send(title, target, purge())
    await send("by GET", "/purge", admin())
    await send("from a page of another site", "/purge", purge({ headers: ["Origin: http://evil.example"] }))
    await send("from its own page", "/purge", purge({ headers: ["Origin: http://127.0.0.1:8650"] }))
    await end()
  })

  it("of status and usage", async () => {
    const { close, pass, proxy, send } = recorder("usage")
    const clients = [
      testClient("shop", "of-the-shop", { rateLimit: { limit: 100, window: 1000 }, dailyQuota: 340 }),
      testClient("game", "of-the-game", { rateLimit: { limit: 600, window: 60_000 } }),
      testClient("idle", "of-the-idle")
    ]
    await proxy("with clients", { config: { ...withCache, clients } })
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
    for (const path of ["/status.json", "/usage"]) {
      const [response] = await send(path, path, admin({ elsewhere: "it is in a separate file" }))
      await matches(
        named(pretty(JSON.parse(response?.body ?? "")), []),
        path === "/usage" ? "usage.json" : "status.json"
      )
    }
    await close()
  })

  it("of overrides", async () => {
    const { send, end, proxy } = recorder("overrides")
    await proxy("with two clients", {
      config: {
        ...withCache,
        admin: { ...openAdmin, tokens: configuredTokens([`${Tokens.hash("of-alice")} alice`]) },
        clients: [testClient("shop", "of-the-shop"), testClient("game", "of-the-game")]
      }
    })
    const token = ["Authorization: Bearer of-alice"]
    const alice = purge({ headers: token })
    const shop = { headers: ["X-API-Key: of-the-shop"] }
    await send("a client is disabled", "/disable?client=shop", alice)
    await send("its request", price, shop)
    await send("another client", price, { headers: ["X-API-Key: of-the-game"] })
    await send("it is enabled", "/enable?client=shop", alice)
    await send("its request", price, shop)
    await send("all processes drain", "/drain?process=all", alice)
    await send("readiness", "/readyz")
    await send("a request meanwhile", price, shop)
    await send("they resume", "/resume?process=all", alice)
    await send("readiness", "/readyz")
    await send("an unknown client", "/disable?client=shpo", alice)
    await send("an unknown process", "/drain?process=one", alice)
    await send("no client", "/disable", alice)
    await send("the memory of an unknown process is purged", "/purge?process=one", alice)
    await send("that of all processes", "/purge?process=all", alice)
    await send("no token", "/drain?process=all", purge())
    await send(
      "from a page of another site",
      "/disable?client=shop",
      purge({ headers: [...token, "Origin: http://evil.example"] })
    )
    await end()
  })

  it("of an unavailable Redis", async () => {
    const { send, end, pass, proxy } = recorder("redis-unavailable")
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
    await end()
  })
})
