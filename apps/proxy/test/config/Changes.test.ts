/** What changed between two configurations, and whether that requires a restart. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Changes from "../../src/config/Changes.ts"
import { defaults } from "../../src/config/Config.ts"
import { load } from "./support.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const client = (more: string) => `clients: [{ name: shop, tokens: [${hash("a")}]${more} }]`

const redis = (more: string) => `redis: { url: 'redis://redis'${more} }`

/** Secrets are read from the environment: those before have the name A, those after B. */
const between = (before: string, after: string) =>
  Effect.gen(function*() {
    const env = { A: "first-secret-of-the-service", B: "second-secret-of-the-service" }
    const configs = yield* Effect.forEach([before, after], (text) => load({ text: `${text}\n`, env }))
    const [old = defaults, current = defaults] = configs.map(({ config }) => config)
    return Changes.between(old, current)
  })

const key = (secret: string, more = "") =>
  `upstream: { keys: [{ name: main, secret: { env: ${secret} }${more} }] }`

describe("changes that can be reloaded", () => {
  it.effect.each<[string, string, ReadonlyArray<string>]>([
    [client(", rateLimit: 50/s"), client(", rateLimit: 80/s"), ["clients.shop.rateLimit 50/s → 80/s"]],
    [client(", dailyQuota: 10"), client(""), ["clients.shop.dailyQuota 10 → none"]],
    [client(""), client("").replace("aaaa", "bbbb"), ["clients.shop.tokens changed"]],
    [client(""), client("").replace("shop", "store"), ["clients.shop removed", "clients.store added"]],
    [key("A"), key("B"), ["upstream.keys.main.secret changed"]],
    [key("A"), key("A", ", upstreams: [data]"), [
      "upstream.keys.main.upstreams [ data, streams, ledger, ledgerTestnet ] → [ data ]"
    ]],
    ["#", "upstream: { baseUrls: { data: 'https://data.example.com' } }", ["upstream.baseUrls.data changed"]],
    ["#", "cache: { staleIfError: 90s }", ["cache.staleIfError 1m → 90s"]],
    ["#", "listen: { trustedProxies: [10.0.0.0/8] }", ["listen.trustedProxies [] → [ 10.0.0.0/8 ]"]],
    ["#", "log: { requests: false }", ["log.requests true → false"]],
    ["cache: { maxBytes: 64MiB }", "cache: { maxBytes: 67108864 }", []],
    [client(""), `${client("")}\nquotas: {}`, []]
  ])(
    "%s, then %s",
    ([before, after, texts]) =>
      Effect.map(
        between(before, after),
        (changes) => expect(changes).toEqual(texts.map((text) => ({ text, requiresRestart: false })))
      )
  )
})

describe("changes that require a restart", () => {
  it.effect.each<[string, string, string]>([
    ["#", "listen: { port: 80 }", "listen.port 8650 → 80"],
    ["#", "admin: { host: localhost }", "admin.host 127.0.0.1 → localhost"],
    ["#", "admin: off", "admin removed"],
    ["admin: off", "#", "admin added"],
    ["#", "upstream: { sandbox: true }", "upstream.sandbox false → true"],
    ["#", "cache: { maxBytes: 1MiB }", "cache.maxBytes 64MiB → 1MiB"],
    ["#", redis(""), "redis added"],
    [redis(""), redis(", keyPrefix: 'q:'"), "redis.keyPrefix \"quarry:\" → \"q:\""],
    [redis(""), "redis: { url: 'redis://other' }", "redis.url changed"],
    ["#", "limits: { maxHeaderBytes: 8KiB }", "limits.maxHeaderBytes 16KiB → 8KiB"],
    ["#", "shutdown: { delay: 0s }", "shutdown.delay 5s → 0s"],
    ["#", "log: { level: debug }", "log.level info → debug"]
  ])(
    "%s, then %s",
    ([before, after, text]) =>
      Effect.map(
        between(before, after),
        (changes) => expect(changes).toEqual([{ text, requiresRestart: true }])
      )
  )
})
