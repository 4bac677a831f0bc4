/** Records of the admin listener: pages, who may read them, purging, status and usage. */
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { describe, it } from "vitest"
import { testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, matches, named, recorder, type Sent, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const metadata = sampleRequests["nftMetadata"]?.path ?? ""

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`

/** No Redis listens there. */
const unreachable = Redacted.make("redis://127.0.0.1:1")

const admin = (sent: Sent = {}): Sent => ({ to: "admin", ...sent })

const purge = (sent: Sent = {}): Sent => admin({ method: "POST", ...sent })

const pretty = (text: string): string => `${JSON.stringify(JSON.parse(text), null, 2)}\n`

describe("golden records", () => {
  it("of the admin listener", async () => {
    const { ask, end, proxy } = recorder("admin")
    await proxy("without tokens", { config: withCache })
    await ask("the status page", "/", admin({ elsewhere: "its text is in status-page.txt" }))
    await ask("the metrics", "/metrics", admin({ elsewhere: "they are in metrics.txt" }))
    await ask("the status", "/status.json", admin({ elsewhere: "it is in status.json" }))
    await ask("the usage", "/usage", admin({ elsewhere: "it is in usage.json" }))
    await ask("whether it lives", "/livez", admin())
    await ask("whether it is ready", "/readyz", admin())
    await ask("an unknown path", "/nowhere", admin())
    await ask("a path of the proxy", price, admin())
    await ask("a broken path", "/%zz", admin())
    for (const path of ["/", "/metrics", "/status.json", "/usage", "/purge"]) {
      await ask(`OPTIONS of ${path}`, path, admin({ method: "OPTIONS" }))
      await ask(`HEAD of ${path}`, path, admin({ method: "HEAD", elsewhere: "nothing" }))
      await ask(`DELETE of ${path}`, path, admin({ method: "DELETE" }))
    }
    for (
      const [title, sent] of [
        ["to localhost", { host: "localhost:8651" }],
        ["to another name", { host: "quarry.example" }],
        ["to an address of another machine", { host: "10.0.0.7" }],
        ["through another proxy", { headers: ["X-Forwarded-For: 127.0.0.1"] }],
        ["through another proxy that says so", { headers: ["Via: 1.1 other"] }]
      ] as const
    ) {
      await ask(`the usage, ${title}`, "/usage", admin({ ...sent, elsewhere: "as above, or a failure" }))
      await ask(`the liveness, ${title}`, "/livez", admin(sent))
    }
    await ask("the usage, to another name", "/usage", admin({ host: "quarry.example" }))
    await ask("no HTTP", "", admin({ raw: "hello\r\n\r\n" }))
    await proxy("with tokens", {
      config: { admin: { host: "127.0.0.1", port: 0, tokens: [hash("of-the-operator")] } }
    })
    for (
      const [title, headers] of [
        ["no token", []],
        ["a wrong token", ["Authorization: Bearer unknown-0"]],
        ["the token", ["Authorization: Bearer of-the-operator"]],
        ["the token as X-API-Key", ["X-API-Key: of-the-operator"]]
      ] as const
    ) {
      await ask(`the usage, ${title}`, "/usage", admin({ headers }))
      await ask(`purging, ${title}`, "/purge", purge({ headers }))
    }
    await ask("the usage, with a token in the URL", "/usage?token=of-the-operator", admin())
    await ask("the metrics without a token", "/metrics", admin({ elsewhere: "they are in metrics.txt" }))
    await end()
  }, 60_000)

  it("of purging", async () => {
    const { ask, end, proxy } = recorder("purge")
    await proxy("with a cache", { config: withCache })
    await ask("a miss", price)
    await ask("another", metadata)
    await ask("one is purged", `/purge?target=${encodeURIComponent(price)}`, purge())
    await ask("a miss again", price)
    await ask("the other is a hit", metadata)
    await ask(
      "in another spelling",
      `/purge?target=${encodeURIComponent(price.replace("=eth", "=0x1"))}`,
      purge()
    )
    await ask("a miss again", price)
    await ask("everything is purged", "/purge", purge())
    await ask("the other is a miss", metadata)
    for (
      const [title, target] of [
        ["an empty target", "/purge?target="],
        ["two targets", "/purge?target=%2Fa&target=%2Fb"],
        ["another parameter", "/purge?path=%2Fa"],
        ["a page", "/purge?target=%2Flivez"],
        ["an unknown path", "/purge?target=%2Fnowhere"],
        ["a change", `/purge?target=%2Fstreams%2Fevm%2F${examples.stream}%2Fstatus`],
        ["a list", `/purge?target=${encodeURIComponent(`/all/api/v2.2/${examples.wallet}/erc20/transfers`)}`],
        ["a wrong parameter", `/purge?target=${encodeURIComponent(`${price}&to_block=x`)}`],
        ["a broken target", "/purge?target=..%2F"]
      ] as const
    ) await ask(title, target, purge())
    await ask("by GET", "/purge", admin())
    await ask("from a page of another site", "/purge", purge({ headers: ["Origin: http://evil.example"] }))
    await ask("from its own page", "/purge", purge({ headers: ["Origin: http://127.0.0.1:8650"] }))
    await end()
  }, 60_000)

  it("of status and usage", async () => {
    const { ask, end, pass, proxy } = recorder("usage")
    const clients = [
      testClient("shop", "of-the-shop", { rateLimit: { limit: 100, window: 1000 }, dailyQuota: 20 }),
      testClient("game", "of-the-game", { rateLimit: { limit: 600, window: 60_000 } }),
      testClient("idle", "of-the-idle")
    ]
    await proxy("with clients", { config: { ...withCache, clients } })
    const shop = { headers: ["X-API-Key: of-the-shop"] }
    const game = { headers: ["X-API-Key: of-the-game"] }
    await ask("a miss", price, shop)
    await ask("a hit", price, shop)
    await ask("no token", price)
    await ask("not allowed", `/streams/evm/${examples.stream}/status`, {
      method: "POST",
      headers: [...game.headers, "Content-Type: application/json"],
      body: "{}"
    })
    await ask("not found", `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`, game)
    await ask("a failure of the upstream", metadata, {
      ...game,
      upstream: Array(10).fill({ status: 500, body: "{}" })
    })
    await ask("not in time", metadata, { ...game, upstream: Array(10).fill("silent") })
    await ask("a list", `/all/api/v2.2/erc20/${examples.token}/owners?chain=eth`, game)
    await pass(12_000)
    await ask("stale", price, shop)
    for (let number = 1; number <= 4; number += 1) {
      await ask(`until the day is used up: ${number}`, price, shop)
    }
    await ask("an unknown path", "/nowhere")
    await ask("a key that is refused", metadata, { ...game, upstream: [{ status: 401, body: "{}" }] })
    for (const path of ["/status.json", "/usage"]) {
      const [response] = await ask(path, path, admin({ elsewhere: "it has a file of its own" }))
      await matches(named(pretty(response?.body ?? ""), []), path === "/usage" ? "usage.json" : "status.json")
    }
    await end()
  }, 60_000)

  it("of Redis that is away", async () => {
    const { ask, end, pass, proxy } = recorder("redis-away")
    const { lines } = await proxy("with Redis at a closed port", {
      config: {
        ...withCache,
        clients: [testClient("shop", "of-the-shop", { rateLimit: { limit: 100, window: 1000 } })],
        redis: { url: unreachable, keyPrefix: "quarry:", expectedProxies: 4 }
      }
    })
    // The first look at the store: the connection is refused before any request needs it
    await pass(1000)
    await until("Redis is missed", () => lines.length > 0)
    await ask("everything is purged", "/purge", purge())
    await ask("one is purged", `/purge?target=${encodeURIComponent(price)}`, purge())
    await ask("a price", price, { headers: ["X-API-Key: of-the-shop"] })
    await end()
  }, 60_000)
})
