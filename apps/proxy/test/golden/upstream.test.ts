/** Records of how the proxy handles failures of the upstream; those of `http` have more kinds. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Redacted from "effect/Redacted"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { keys, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import type { Scripted } from "../support/ScriptedUpstream.ts"
import { examples, recorder } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const update = {
  target: `/streams/evm/${examples.stream}/status`,
  method: "POST",
  headers: ["Content-Type: application/json"],
  body: `{"status":"paused"}`
}

const always = (response: Scripted): ReadonlyArray<Scripted> => Array(20).fill(response)

const respond = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Scripted => ({
  status,
  body,
  headers: {
    ...headers,
    location: "http://elsewhere.invalid/",
    "set-cookie": "session=1",
    "x-ratelimit-remaining": "3"
  }
})

const responses: ReadonlyArray<readonly [title: string, response: Scripted]> = [
  ["400", respond(400, `{"message":"chain must be a valid enum value"}`)],
  ["404", respond(404, `{"message":"not found"}`)],
  ["422 in HTML", respond(422, "<html>no</html>", { "content-type": "text/html" })],
  ["429", respond(429, `{"message":"slow down"}`)],
  ["429 with Retry-After in seconds", respond(429, "{}", { "retry-after": "120" })],
  ["500", respond(500, `{"message":["a","b"]}`)],
  ["503 with Retry-After", respond(503, "{}", { "retry-after": "120" })],
  ["401", respond(401, `{"message":"Invalid key"}`)],
  ["402", respond(402, `{"message":"pay"}`)],
  ["302", respond(302, `{"a":1}`)],
  ["204", respond(204, "")],
  ["200 with a byte order mark", respond(200, `\ufeff{"result":[]}`)],
  [
    "200 with headers that are forwarded",
    respond(200, "{}", {
      "content-language": "en",
      expires: "Tue, 01 Jan 2030 12:05:00 GMT",
      "last-modified": "Tue, 01 Jan 2030 11:00:00 GMT",
      etag: "\"theirs\""
    })
  ],
  ["a body over the size limit", respond(200, "{}", { "content-length": String(17 * 1024 * 1024) })],
  ["200 that contains the key", respond(200, `{"askedWith":"sandbox-good-key"}`)],
  ["400 that contains the key", respond(400, `{"askedWith":"sandbox-good-key"}`)],
  ["401 that contains the key", respond(401, `{"message":"sandbox-good-key is no good"}`)],
  ["a refused connection", "refused"],
  ["a connection reset before the headers", "reset"],
  ["nothing", "silent"],
  ["nothing after half of the body", "silent in the body"],
  ["a defect of the client", "defect"]
]

const keyed = (
  label: string,
  rateLimit: RateLimit.RateLimit & { readonly perDay?: number | null } = RateLimit.none
) => ({
  label,
  key: Redacted.make(`key-${label}`),
  rateLimit
})

describe("golden records", () => {
  it("of failures of the upstream", async () => {
    const { send, end, proxy } = recorder("upstream-failures")
    const detailed = ["404", "429", "500", "401", "302", "nothing"]
    for (const [title, response] of responses) {
      await proxy("", detailed.includes(title) ? { logLevel: "debug" } : {})
      await send(title, price, { upstream: always(response) })
    }
    await end()
  })

  it("of failures of updates", async () => {
    const { send, end, proxy } = recorder("upstream-failures-of-updates")
    const titles = ["400", "429 with Retry-After in seconds", "500", "401", "a refused connection", "nothing"]
      .concat("a connection reset before the headers", "nothing after half of the body")
    for (const [title, response] of responses) {
      if (!titles.includes(title)) continue
      await proxy("")
      const { target, ...sent } = update
      await send(title, target, { ...sent, upstream: always(response) })
    }
    await end()
  })

  it("of temporary failures", async () => {
    const { send, end, pass, proxy } = recorder("recovery")
    await proxy("with one key")
    await send("503, a broken connection, truncated JSON", price, {
      upstream: [respond(503, "{}"), "reset", respond(200, "{")]
    })
    await send("429 once, with Retry-After of two seconds", price, {
      upstream: [respond(429, "{}", { "retry-after": "2" })]
    })
    await proxy("the circuit breaker")
    for (let number = 1; number <= 5; number += 1) {
      await send(`failure ${number}`, price, { upstream: always(respond(500, "{}")) })
    }
    await send("the circuit is open", price)
    await send("readiness", "/readyz")
    await send("the ledger has the same host", sampleRequests["ledgerTransaction"]?.path ?? "")
    await send("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await pass(5000)
    await send("five seconds later", price, { upstream: always(respond(500, "{}")) })
    await pass(60_000)
    await send("a minute later", price)
    await send("readiness", "/readyz")
    await proxy("two keys, of which the first is rejected", {
      endpoints: { ...testEndpoints, keys: keys(keyed("first"), keyed("second")) }
    })
    const rejected = respond(401, `{"message":"Invalid key"}`)
    await send("the second key", price, { upstream: [rejected, respond(200, "{}")] })
    await send("both are rejected", price, { upstream: always(rejected) })
    await proxy("a key with a rate limit of 4 units per 10 seconds", {
      endpoints: {
        ...testEndpoints,
        keys: keys(keyed("first", RateLimit.make({ limit: 4, window: "10 seconds", maxWait: "5 seconds" })))
      }
    })
    for (let number = 1; number <= 3; number += 1) {
      await send(`request ${number}`, price, { upstream: [respond(200, "{}")] })
    }
    await proxy("a key with a daily quota of 7 units", {
      endpoints: { ...testEndpoints, keys: keys(keyed("first", { ...RateLimit.none, dailyQuota: 120 })) }
    })
    for (let number = 1; number <= 3; number += 1) {
      await send(`request ${number}`, price, { upstream: [respond(200, "{}")] })
    }
    await send("and one more", price)
    await proxy("with a cache that serves stale responses", { config: { cache: defaults.cache } })
    await send("a miss", price)
    await pass(20_000)
    await send("stale if the upstream does not respond", price, { upstream: always("silent") })
    await end()
  })
})
