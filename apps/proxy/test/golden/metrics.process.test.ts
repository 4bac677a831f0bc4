/** The record of the metrics after traffic of all kinds. They count the whole process, so this file has only one test. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { promtool } from "../deploy/support/program.ts"
import { keys, testClient, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, matches, recorder, settings, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const metadata = sampleRequests["nftMetadata"]?.path ?? ""

const body = { headers: ["Content-Type: application/json"], body: `{"status":"paused"}` }

describe("golden records", () => {
  it("of metrics", async () => {
    const { close, pass, proxy, send } = recorder("metrics")
    const as = (name: string) => ({ headers: [`X-API-Key: of-${name}`] })
    const clients = [
      testClient("shop", "of-shop", {
        rateLimit: { limit: 6, window: 10_000 },
        dailyQuota: { soft: 100, hard: 500 },
        scopes: ["read", "write"]
      }),
      testClient("game", "of-game")
    ]
    await proxy("in shadow mode", {
      config: { ...withCache, clients, quotas: { ...defaults.quotas, mode: "shadow" } }
    })
    for (let number = 1; number <= 4; number += 1) await send(`price ${number}`, price, as("shop"))
    const { running } = await proxy("with clients, two keys and costs that are not those of the upstream", {
      config: {
        ...withCache,
        clients,
        costs: {
          ...defaults.costs,
          tokenPrice: { price: 40, rateCost: 3 },
          nftMetadata: { price: 30, rateCost: 2 }
        }
      },
      endpoints: {
        ...testEndpoints,
        keys: keys(...["first", "second"].map((label) => ({
          label,
          key: Redacted.make("sandbox-good-key"),
          rateLimit: RateLimit.make({ limit: 5, window: "1 second" })
        })))
      }
    })
    await send("a miss", price, as("shop"))
    await send("a hit", price, as("shop"))
    await send("over the rate limit, queued", price, { ...as("shop"), upstream: [] })
    await send("HEAD", price, { ...as("game"), method: "HEAD" })
    await send("no token", price)
    await send("an unknown token", price, as("unknown"))
    await send("a missing scope", sampleRequests["updateStreamStatus"]?.path ?? "", {
      ...body,
      ...as("game"),
      method: "POST"
    })
    await send("an update", sampleRequests["updateStreamStatus"]?.path ?? "", {
      method: "POST",
      body: body.body,
      headers: [...body.headers, ...as("shop").headers]
    })
    await send("an unknown path", "/nowhere", as("game"))
    await send("an invalid parameter", `${price}&to_block=x`, as("game"))
    await send("not found", `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`, as("game"))
    await send("a retry", metadata, { ...as("game"), upstream: [{ status: 503 }, "reset"] })
    await send("a list", `/all/api/v2.2/erc20/${examples.token}/owners?chain=eth&limit=20`, as("game"))
    await pass(7000)
    await send("stale", price, as("game"))
    await pass(20_000)
    await send("stale, because the upstream fails", price, {
      ...as("game"),
      upstream: Array(10).fill({ status: 500 })
    })
    await send("a throttled key", metadata.replace("/1?", "/2?"), {
      ...as("game"),
      upstream: [{ status: 429, headers: { "retry-after": "3" } }]
    })
    await send("no response in time", metadata.replace("/1?", "/3?"), {
      ...as("game"),
      upstream: Array(10).fill("silent")
    })
    await send("over the key's rate limit", sampleRequests["ledgerTransaction"]?.path ?? "", as("game"))
    for (let number = 1; number <= 3; number += 1) {
      await send(`failure ${number}`, metadata.replace("/1?", "/4?"), {
        ...as("game"),
        upstream: Array(10).fill({ status: 500 })
      })
    }
    await send("after the failures", metadata.replace("/1?", "/5?"), as("game"))
    for (let number = 1; number <= 5; number += 1) {
      await send(`another failure ${number}`, price.replace("chain=eth", "chain=polygon"), {
        ...as("game"),
        upstream: Array(10).fill({ status: 500 })
      })
    }
    await send("the circuit breaker is open", metadata.replace("/1?", "/6?"), as("game"))
    await send("a page", "/openapi.json", { elsewhere: "see OpenApiDocument.test.ts" })
    await Effect.runPromise(running.reload(settings({ ...withCache, clients })))
    await Effect.runPromise(running.countRejection)
    await proxy("one key, and identical requests", { config: { ...withCache, clients } })
    await send("a cooldown that is waited for", price, {
      ...as("game"),
      upstream: [{ status: 429, headers: { "retry-after": "2" } }]
    })
    await send("a truncated response", price.replace("=eth", "=base"), {
      ...as("game"),
      upstream: Array(10).fill({ status: 200, body: "{" })
    })
    await send("a transaction that is pending", sampleRequests["ledgerTransaction"]?.path ?? "", {
      ...as("game"),
      upstream: [{ status: 200, body: `{"type":"pending_transaction"}` }]
    })
    await send("a rejected key", metadata, { ...as("game"), upstream: [{ status: 401 }] })
    const { lines } = await proxy("with Redis at a closed port", {
      config: {
        ...withCache,
        clients,
        redis: { url: Redacted.make("redis://127.0.0.1:1"), keyPrefix: "q:", whenUnavailable: "open" }
      }
    })
    await pass(1000)
    await until("the store is reported as unavailable", () => lines.length > 0)
    await send("a price without Redis", price, as("game"))
    const [response] = await send("the metrics", "/metrics", {
      to: "admin",
      elsewhere: "they are in metrics.txt"
    })
    const text = response?.body ?? ""
    expect(text).toContain("# TYPE ")
    if (promtool !== undefined) {
      const checked = spawnSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" })
      expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, ""])
    }
    await matches(inOrder(text), "metrics.txt")
    await close()
  })
})

/** Sorts families by name and series by labels. Replaces values that differ between runs. Omits those of Effect itself. */
const inOrder = (text: string): string => {
  const families = text.trimEnd().split(/\n(?=# HELP (?!effect_))/).map((family) => {
    const lines = family.replace(/^# HELP effect_[^]*/m, "").trimEnd().split("\n")
    return [
      ...lines.filter((line) => line.startsWith("#")),
      ...withoutRepeatedBuckets(sortedSeries(lines.filter((line) => !line.startsWith("#"))))
    ]
      .map(withoutVolatileValue).join("\n")
  })
  return `${[...families].sort().join("\n\n")}\n`
}

const withoutVolatileValue = (line: string): string =>
  line.startsWith("#")
    ? line
    : line.startsWith("nodejs_version_info")
    ? "nodejs_version_info{version=\"<version>\"} 1"
    : /^(process_|nodejs_|quarry_proxy_connections )/.test(line)
    ? line.replace(/ [^ ]+$/, " <value>")
    : line

/** The first series of a histogram shows all bounds, the others the buckets that count more than those before. */
const withoutRepeatedBuckets = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const countOf = (line: string): string => line.split(" ").at(-1) ?? ""
  const firstEnd = lines.findIndex((line) => line.includes("le=\"+Inf\""))
  return lines.filter((line, index) => {
    const before = lines[index - 1] ?? ""
    return index <= firstEnd || !line.includes("le=\"") ||
      countOf(line) !== (before.includes("le=\"") ? countOf(before) : "0")
  })
}

/** Sorts series by labels. Buckets keep their order. */
const sortedSeries = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const keyOf = (line: string) =>
    line.replace(/,?le="[^"]*"/, "").replace(/ [^ ]+$/, "").replace(/_(bucket|sum|count)(?=\{| |$)/, "")
  return lines.map((line, index) => ({ line, index, key: keyOf(line) }))
    .sort((one, other) => one.key < other.key ? -1 : one.key > other.key ? 1 : one.index - other.index)
    .map(({ line }) => line)
}
