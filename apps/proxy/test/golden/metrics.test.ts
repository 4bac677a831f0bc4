/** The record of the metrics after traffic of all kinds. They count a whole process, so this file has one test. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { keys, testClient, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, matches, recorder, settings, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const metadata = sampleRequests["nftMetadata"]?.path ?? ""

const body = { headers: ["Content-Type: application/json"], body: `{"status":"paused"}` }

describe("golden records", () => {
  it("of metrics", async () => {
    const { ask, end, pass, proxy } = recorder("metrics-traffic")
    const as = (name: string) => ({ headers: [`X-API-Key: of-${name}`] })
    const clients = [
      testClient("shop", "of-shop", {
        rateLimit: { limit: 6, window: 10_000 },
        dailyQuota: 30,
        scopes: ["read", "write"]
      }),
      testClient("game", "of-game")
    ]
    await proxy("in shadow", {
      config: { ...withCache, clients, quotas: { ...defaults.quotas, mode: "shadow" } }
    })
    for (let number = 1; number <= 4; number += 1) await ask(`price ${number}`, price, as("shop"))
    const { running } = await proxy("with clients and two keys", {
      config: { ...withCache, clients },
      service: {
        ...testEndpoints,
        keys: keys(...["first", "second"].map((label) => ({
          label,
          key: Redacted.make("sandbox-good-key"),
          rateLimit: RateLimit.make({ limit: 5, window: "1 second" })
        })))
      }
    })
    await ask("a miss", price, as("shop"))
    await ask("a hit", price, as("shop"))
    await ask("too fast, so it waits", price, { ...as("shop"), upstream: [] })
    await ask("HEAD", price, { ...as("game"), method: "HEAD" })
    await ask("no token", price)
    await ask("a wrong token", price, as("unknown"))
    await ask("no scope", sampleRequests["updateStreamStatus"]?.path ?? "", {
      ...body,
      ...as("game"),
      method: "POST"
    })
    await ask("a change", sampleRequests["updateStreamStatus"]?.path ?? "", {
      method: "POST",
      body: body.body,
      headers: [...body.headers, ...as("shop").headers]
    })
    await ask("an unknown path", "/nowhere", as("game"))
    await ask("a wrong parameter", `${price}&to_block=x`, as("game"))
    await ask("not found", `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`, as("game"))
    await ask("a retry", metadata, { ...as("game"), upstream: [{ status: 503 }, "reset"] })
    await ask("a list", `/all/api/v2.2/erc20/${examples.token}/owners?chain=eth&limit=20`, as("game"))
    await pass(7000)
    await ask("stale", price, as("game"))
    await pass(20_000)
    await ask("stale, for the upstream fails", price, {
      ...as("game"),
      upstream: Array(10).fill({ status: 500 })
    })
    await ask("a throttled key", metadata.replace("/1?", "/2?"), {
      ...as("game"),
      upstream: [{ status: 429, headers: { "retry-after": "3" } }]
    })
    await ask("nothing in time", metadata.replace("/1?", "/3?"), {
      ...as("game"),
      upstream: Array(10).fill("silent")
    })
    await ask("too many units at once", sampleRequests["ledgerTransaction"]?.path ?? "", as("game"))
    for (let number = 1; number <= 3; number += 1) {
      await ask(`failure ${number}`, metadata.replace("/1?", "/4?"), {
        ...as("game"),
        upstream: Array(10).fill({ status: 500 })
      })
    }
    await ask("after the failures", metadata.replace("/1?", "/5?"), as("game"))
    for (let number = 1; number <= 5; number += 1) {
      await ask(`another failure ${number}`, price.replace("chain=eth", "chain=polygon"), {
        ...as("game"),
        upstream: Array(10).fill({ status: 500 })
      })
    }
    await ask("the circuit breaker is open", metadata.replace("/1?", "/6?"), as("game"))
    await ask("a page", "/docs", { elsewhere: "its text is in docs-page.txt" })
    await Effect.runPromise(running.reload(settings({ ...withCache, clients })))
    await Effect.runPromise(running.reloadRejected)
    await proxy("one key, and equal requests", { config: { ...withCache, clients } })
    await ask("a pause that is waited for", price, {
      ...as("game"),
      upstream: [{ status: 429, headers: { "retry-after": "2" } }]
    })
    await ask("a refused key", metadata, { ...as("game"), upstream: [{ status: 401 }] })
    const { lines } = await proxy("with Redis at a closed port", {
      config: {
        ...withCache,
        clients,
        redis: { url: Redacted.make("redis://127.0.0.1:1"), keyPrefix: "q:", expectedProxies: 4 }
      }
    })
    await pass(1000)
    await until("Redis is missed", () => lines.length > 0)
    await ask("a price without Redis", price, as("game"))
    const [response] = await ask("the metrics", "/metrics", {
      to: "admin",
      elsewhere: "they are in metrics.txt"
    })
    const text = response?.body ?? ""
    expect(text).toContain("# TYPE ")
    await matches(inOrder(text), "metrics.txt")
    await end()
  }, 60_000)
})

/** Families by name, and in each its series by labels; values of the process and of moments are named. */
const inOrder = (text: string): string => {
  const families = text.trimEnd().split(/\n(?=# HELP )/).map((family) => {
    const lines = family.split("\n")
    return [
      ...lines.filter((line) => line.startsWith("#")),
      ...sortedSeries(lines.filter((line) => !line.startsWith("#")))
    ]
      .map(withoutMoment).join("\n")
  })
  return `${[...families].sort().join("\n\n")}\n`
}

const withoutMoment = (line: string): string =>
  line.startsWith("#")
    ? line
    : line.startsWith("nodejs_version_info")
    ? "nodejs_version_info{version=\"<version>\"} 1"
    : /^(process_|nodejs_|effect_|quarry_proxy_connections )/.test(line)
    ? line.replace(/ [^ ]+$/, " <value>")
    : line

/** Buckets stay in their order, which is that of their bounds. */
const sortedSeries = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const keyOf = (line: string) =>
    line.replace(/,?le="[^"]*"/, "").replace(/ [^ ]+$/, "").replace(/_(bucket|sum|count)(?=\{| |$)/, "")
  return lines.map((line, index) => ({ line, index, key: keyOf(line) }))
    .sort((one, other) => one.key < other.key ? -1 : one.key > other.key ? 1 : one.index - other.index)
    .map(({ line }) => line)
}
