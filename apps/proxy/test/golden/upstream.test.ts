/** Records of what becomes of each failure of the upstream. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Redacted from "effect/Redacted"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { keys, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder } from "./support/golden.ts"
import type { Scripted } from "./support/upstream.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const change = {
  target: `/streams/evm/${examples.stream}/status`,
  method: "POST",
  headers: ["Content-Type: application/json"],
  body: `{"status":"paused"}`
}

const always = (response: Scripted): ReadonlyArray<Scripted> => Array(20).fill(response)

const said = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Scripted => ({
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
  ["400", said(400, `{"message":"chain must be a valid enum value"}`)],
  ["404", said(404, `{"message":"not found"}`)],
  ["408", said(408, "{}")],
  ["409", said(409, "{}")],
  ["410", said(410, "")],
  ["422 in HTML", said(422, "<html>no</html>", { "content-type": "text/html" })],
  ["425", said(425, "{}")],
  ["429", said(429, `{"message":"slow down"}`)],
  ["429 with Retry-After in seconds", said(429, "{}", { "retry-after": "120" })],
  ["429 with a short Retry-After", said(429, "{}", { "retry-after": "1" })],
  ["429 with Retry-After as a date", said(429, "{}", { "retry-after": "Tue, 01 Jan 2030 12:05:00 GMT" })],
  ["429 with a Retry-After that is none", said(429, "{}", { "retry-after": "soon" })],
  ["451", said(451, "{}")],
  ["500", said(500, `{"message":["a","b"]}`)],
  ["501", said(501, "")],
  ["502", said(502, "<html>bad gateway</html>", { "content-type": "text/html" })],
  ["503", said(503, "{}")],
  ["503 with Retry-After", said(503, "{}", { "retry-after": "120" })],
  ["504", said(504, "{}")],
  ["599", said(599, "{}")],
  ["401", said(401, `{"message":"Invalid key"}`)],
  ["403", said(403, `{"message":"Forbidden"}`)],
  ["407", said(407, "{}")],
  ["424", said(424, "{}")],
  ["402", said(402, `{"message":"pay"}`)],
  ["401 because the plan is used up", said(401, `{"message":"Your plan's daily usage has been consumed"}`)],
  ["301", said(301, "")],
  ["302", said(302, `{"a":1}`)],
  ["304", said(304, "")],
  ["307", said(307, "")],
  ["201", said(201, `{"result":[]}`)],
  ["204", said(204, "")],
  ["206", said(206, `{"result":[]}`)],
  ["200 with half a document", said(200, `{"result":[`)],
  ["200 without a body", said(200, "")],
  ["200 in HTML", said(200, "<html>busy</html>", { "content-type": "text/html" })],
  ["200 with null", said(200, "null")],
  ["200 with a byte order mark", said(200, `\ufeff{"result":[]}`)],
  [
    "200 with headers that are passed on",
    said(200, "{}", {
      "content-language": "en",
      expires: "Tue, 01 Jan 2030 12:05:00 GMT",
      "last-modified": "Tue, 01 Jan 2030 11:00:00 GMT",
      etag: "\"theirs\""
    })
  ],
  ["a body longer than is read", said(200, "{}", { "content-length": String(17 * 1024 * 1024) })],
  ["200 that quotes the key", said(200, `{"askedWith":"sandbox-good-key"}`)],
  ["400 that quotes the key", said(400, `{"askedWith":"sandbox-good-key"}`)],
  ["401 that quotes the key", said(401, `{"message":"sandbox-good-key is no good"}`)],
  ["a connection that cannot be opened", "refused"],
  ["a host that is not known", "unknown host"],
  ["a connection that breaks before the headers", "reset"],
  ["a connection that breaks in the body", "reset in the body"],
  ["nothing", "silent"],
  ["nothing more after half of the body", "silent in the body"],
  ["a bug of the client", "defect"]
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
    const { ask, end, proxy } = recorder("upstream-failures")
    for (const [title, response] of responses) {
      await proxy(`the upstream answers every attempt with ${title}`)
      await ask(title, price, { upstream: always(response) })
    }
    await end()
  }, 120_000)

  it("of failures of changes", async () => {
    const { ask, end, proxy } = recorder("upstream-failures-of-changes")
    const titles = new Set([
      "400",
      "404",
      "429",
      "429 with Retry-After in seconds",
      "500",
      "503",
      "401",
      "302"
    ])
    for (const [title, response] of responses) {
      if (!titles.has(title) && typeof response !== "string") continue
      await proxy(`the upstream answers every attempt with ${title}`)
      const { target, ...sent } = change
      await ask(title, target, { ...sent, upstream: always(response) })
    }
    await end()
  }, 120_000)

  it("of failures that pass", async () => {
    const { ask, end, pass, proxy } = recorder("recovery")
    await proxy("with one key")
    await ask("once 503", price, { upstream: [said(503, "{}")] })
    await ask("503, a broken connection, half a document", price, {
      upstream: [said(503, "{}"), "reset", said(200, "{")]
    })
    await ask("once 429", price, { upstream: [said(429, "{}")] })
    await ask("once 429 for two seconds", price, { upstream: [said(429, "{}", { "retry-after": "2" })] })
    await proxy("the circuit breaker")
    for (let number = 1; number <= 5; number += 1) {
      await ask(`failure ${number}`, price, { upstream: always(said(500, "{}")) })
    }
    await ask("the circuit is open", price)
    await ask("whether it is ready", "/readyz")
    await ask("the ledger has the same host", sampleRequests["ledgerTransaction"]?.path ?? "")
    await ask("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await pass(5000)
    await ask("five seconds later", price, { upstream: always(said(500, "{}")) })
    await pass(60_000)
    await ask("a minute later", price)
    await ask("and again", price)
    await ask("whether it is ready", "/readyz")
    await proxy("two keys, of which the first is refused", {
      service: { ...testEndpoints, keys: keys(keyed("first"), keyed("second")) }
    })
    const refused = said(401, `{"message":"Invalid key"}`)
    await ask("the second key", price, { upstream: [refused, said(200, "{}")] })
    await ask("the second key again", price, { upstream: [said(200, "{}")] })
    await ask("both are refused", price, { upstream: always(refused) })
    await ask("once more", price)
    await pass(3_600_000)
    await ask("an hour later", price, { upstream: [said(200, "{}")] })
    await proxy("two keys, of which the plan of the first is used up", {
      service: { ...testEndpoints, keys: keys(keyed("first"), keyed("second")) }
    })
    await ask("the second key", price, { upstream: [said(402, "{}"), said(200, "{}")] })
    await ask("both are used up", price, { upstream: always(said(402, "{}")) })
    await ask("once more", price)
    await proxy("two keys, of which the first is throttled", {
      service: { ...testEndpoints, keys: keys(keyed("first"), keyed("second")) }
    })
    const throttled = said(429, "{}", { "retry-after": "60" })
    await ask("the second key", price, { upstream: [throttled, said(200, "{}")] })
    await ask("both are throttled", price, { upstream: always(throttled) })
    await ask("once more", price)
    await proxy("a key with a limit of four units in ten seconds", {
      service: {
        ...testEndpoints,
        keys: keys(keyed("first", RateLimit.make({ limit: 4, window: "10 seconds", maxWait: "5 seconds" })))
      }
    })
    for (let number = 1; number <= 3; number += 1) {
      await ask(`request ${number}`, price, { upstream: [said(200, "{}")] })
    }
    await proxy("a key with seven units a day", {
      service: { ...testEndpoints, keys: keys(keyed("first", { ...RateLimit.none, dailyQuota: 7 })) }
    })
    for (let number = 1; number <= 3; number += 1) {
      await ask(`request ${number}`, price, { upstream: [said(200, "{}")] })
    }
    await ask("and one more", price)
    await proxy("with a cache that gives what is stale", { config: { cache: defaults.cache } })
    await ask("a miss", price)
    await pass(20_000)
    await ask("stale, where nothing comes", price, { upstream: always("silent") })
    await ask("stale, where the connection breaks", price, { upstream: always("reset") })
    await end()
  }, 120_000)
})
