/** The error of every failure: its tag, its message and its fields. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import type * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import { it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestContext from "effect/TestContext"
import { address, contract, tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { fetchPrice, minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "../support/TestTime.ts"
import { errorRecord, record } from "./support/record.ts"

const said = (status: number, document: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ScriptedClient.json(document, status, headers)
const after = (status: number, retryAfter: string) =>
  ScriptedClient.respond(status, "", { "retry-after": retryAfter })

/** Made anew for each request: a body is read once. */
const replies: Readonly<Record<string, () => ScriptedClient.ScriptedReply>> = {
  "400 with a message": () => said(400, { message: "bad parameter" }),
  "400 with a list of messages": () => said(400, { message: ["first", "second"], statusCode: 400 }),
  "400 with errors": () => said(400, { errors: [{ message: "first" }, { message: "second" }] }),
  "400 without a body": () => ScriptedClient.respond(400),
  "400 in HTML": () => ScriptedClient.respond(400, "<html>\n  <h1>Bad\tRequest</h1>\n</html>"),
  "400 with a body that is very long": () => ScriptedClient.respond(400, "long ".repeat(1000)),
  "400 with a message that is very long": () => said(400, { message: "long ".repeat(1000) }),
  "400 with the key": () => said(400, { message: `the key ${TestClients.key} is bad` }),
  "401": () => said(401, { message: "Invalid key" }),
  "401, the plan is used up": () => said(401, { message: "Your plan: usage consumed" }),
  "402": () => said(402, { message: "pay" }),
  "403": () => said(403, { error: "forbidden" }),
  "404": () => said(404, { message: "no such token" }),
  "405": () => ScriptedClient.respond(405),
  "407": () => ScriptedClient.respond(407),
  "408": () => ScriptedClient.respond(408),
  "409": () => ScriptedClient.respond(409),
  "410": () => ScriptedClient.respond(410),
  "413": () => ScriptedClient.respond(413),
  "422": () => said(422, { error: { message: "nested" } }),
  "424": () => ScriptedClient.respond(424),
  "429": () => ScriptedClient.respond(429),
  "429 with Retry-After in seconds": () => after(429, "7"),
  "429 with Retry-After as a date": () => after(429, "Thu, 01 Jan 1970 00:01:30 GMT"),
  "500": () => ScriptedClient.respond(500),
  "500 with a message": () => said(500, { message: "oops" }),
  "501": () => ScriptedClient.respond(501),
  "502": () => ScriptedClient.respond(502, "<html>Bad Gateway</html>"),
  "503": () => ScriptedClient.respond(503),
  "503 with Retry-After": () => after(503, "60"),
  "504": () => ScriptedClient.respond(504),
  "599": () => ScriptedClient.respond(599),
  "301": () => ScriptedClient.respond(301, "", { location: "https://elsewhere.test" }),
  "304": () => ScriptedClient.respond(304),
  "201": () => said(201, {}),
  "204": () => ScriptedClient.respond(204),
  "200 without a body": () => ScriptedClient.respond(200),
  "200 in HTML": () => ScriptedClient.respond(200, "<html></html>"),
  "200 cut off": () => ScriptedClient.respond(200, "{\"usdPrice\": 1."),
  "200 with more after the document": () => ScriptedClient.respond(200, "{} {}"),
  "200 that is not UTF-8": () => ScriptedClient.respond(200, new Uint8Array([0x22, 0xff, 0x22])),
  "200 null": () => said(200, null),
  "200 with a list": () => said(200, []),
  "200 with a field of another type": () => said(200, { usdPrice: "abc", id: {}, status: 5 }),
  "200 with the key in a field of another type": () =>
    said(200, { usdPrice: `x${TestClients.key}`, id: 5, status: { a: TestClients.key } }),
  "200 with broken gzip": () =>
    ScriptedClient.respond(200, new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), { "content-encoding": "gzip" }),
  "a body longer than the cap": () => ScriptedClient.respond(200, "x".repeat(2000)),
  "a body announced as longer than the cap": () =>
    ScriptedClient.respond(200, "x".repeat(2000), { "content-length": "2000" }),
  "ECONNREFUSED": () => ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
  "ENOTFOUND": () => ScriptedClient.Disconnect({ code: "ENOTFOUND" }),
  "ECONNRESET": () => ScriptedClient.Disconnect({ code: "ECONNRESET" }),
  "UND_ERR_SOCKET": () => ScriptedClient.Disconnect({ code: "UND_ERR_SOCKET" }),
  "a code that is none": () => ScriptedClient.Disconnect({ code: "no code" }),
  "a body that breaks off": () =>
    ScriptedClient.respond(200, ScriptedClient.brokenBody("{\"usd", "ECONNRESET"))
}

/** Answers that never end. */
const endless: typeof replies = {
  "no answer": () => ScriptedClient.Hang(),
  "a body without an end": () => ScriptedClient.respond(200, ScriptedClient.endlessBody("{"))
}

const options = { ...minimalOptions, maxBodySize: 1000 }

type Run = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The clock stands still: real input and output take turns, but no virtual time. */
const atOnce: Run = (call) => call
const withTime: Run = (call) => whileTimePasses(call, "1 minute")

const limits: Timeouts.Timeouts = { attempt: "10 seconds", call: "45 seconds" }

/** The error of a call with one attempt. */
const errorOf = (
  reply: () => ScriptedClient.ScriptedReply,
  call: typeof tokenPrice,
  run: Run,
  timeouts = limits
) =>
  Effect.gen(function*() {
    const scene = yield* TestClients.harness(() => reply(), { ...options, timeouts })
    const result = yield* run(Effect.either(call.call(scene)))
    return result._tag === "Left" ? errorRecord(result.left) : "success"
    // Each call has a clock of its own, for dates
  }).pipe(Effect.provide(TestContext.TestContext))

for (const [name, call] of [["errors.read", tokenPrice], ["errors.update", updateStreamStatus]] as const) {
  it.effect(name, () =>
    Effect.gen(function*() {
      const errors: Record<string, unknown> = {}
      for (const [title, reply] of Object.entries(replies)) {
        errors[title] = yield* errorOf(reply, call, atOnce)
      }
      for (const [title, reply] of Object.entries(endless)) {
        errors[title] = yield* errorOf(reply, call, withTime)
      }
      errors["no answer within the call"] = yield* errorOf(() => ScriptedClient.Hang(), call, withTime, {
        attempt: "10 seconds",
        call: "3 seconds"
      })
      yield* Effect.promise(() => record(name, errors))
    }))
}

it.effect("errors.local", () =>
  Effect.gen(function*() {
    const errors: Record<string, unknown> = {}
    const flipped = Effect.fnUntraced(
      function*(
        title: string,
        calls: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>
      ) {
        errors[title] = errorRecord(yield* Effect.flip(calls))
      }
    )
    const scene = (options: TestClients.HarnessOptions, script: ScriptedClient.Script = () =>
      ScriptedClient.respond(500)) =>
      TestClients.harness(script, { ...minimalOptions, ...options })

    const unasked = yield* scene({})
    yield* flipped("a parameter that is malformed", unasked.data.tokenPrice({ address: "0x1" }))

    const breaking = yield* scene({ breaker: { ...CircuitBreaker.standard, minimum: 1 } })
    yield* Effect.flip(fetchPrice(breaking, 1))
    yield* flipped("the circuit breaker is open", fetchPrice(breaking, 2))

    const rated = yield* scene(
      { rateLimit: RateLimit.make({ limit: 3, window: "1 second", maxWait: 0 }) },
      () => ScriptedClient.json(tokenPrice.document)
    )
    yield* fetchPrice(rated, 1)
    yield* flipped("the rate limit", fetchPrice(rated, 2))

    const daily = yield* scene(
      { rateLimit: { ...RateLimit.none, dailyQuota: 3 } },
      () => ScriptedClient.json(tokenPrice.document)
    )
    yield* fetchPrice(daily, 1)
    yield* flipped("the daily quota", fetchPrice(daily, 2))

    const paused = yield* scene(
      { rateLimit: { ...RateLimit.none, maxWait: 0 } },
      () => ScriptedClient.respond(429, "", { "retry-after": "30" })
    )
    yield* Effect.flip(fetchPrice(paused, 1))
    yield* flipped("the pause after a 429", fetchPrice(paused, 2))

    const busy = yield* scene({ concurrency: { limit: 1, maxQueue: 0 } }, () => ScriptedClient.Hang())
    yield* Effect.fork(fetchPrice(busy, 1))
    yield* Effect.repeatN(runPendingWork, 8)
    yield* flipped("the concurrency limit", fetchPrice(busy, 2))

    const pages = (cursor: string) => ScriptedClient.json({ page: 0, page_size: 1, cursor, result: [] })
    const repeated = yield* scene({}, () => pages("again"))
    yield* flipped(
      "a cursor that comes back",
      Stream.runDrain(repeated.data.tokenOwners.items({ token_address: address }))
    )
    const full = (block: number) => ({
      result: [1, 2].map((log_index) => ({
        transaction_hash: `0x${"12".repeat(32)}`,
        block_number: block,
        log_index,
        value: "1"
      }))
    })
    const two = { result: [...full(9).result, ...full(8).result] }
    const walking = yield* scene({}, () => ScriptedClient.json(two))
    const [page] = yield* Stream.runCollect(
      walking.data.walletTransfers.pages({ address, limit: 4 }, { maxPages: 1 })
    )
    yield* flipped(
      "a cursor of a list for one page",
      walking.data.walletTransfers({ address, cursor: page?.cursor ?? "none" })
    )
    yield* flipped(
      "a cursor of another list",
      Stream.runDrain(
        walking.data.walletTransfers.pages({ address: contract, limit: 4, cursor: page?.cursor ?? "none" })
      )
    )
    const overflowing = yield* scene({}, () => ScriptedClient.json(full(7)))
    yield* flipped(
      "a block that is larger than a page",
      Stream.runDrain(overflowing.data.walletTransfers.items({ address, limit: 2 }))
    )
    const rising = yield* scene({}, (_, number) => ScriptedClient.json(full(6 + number)))
    yield* flipped(
      "a list that is out of order",
      Stream.runDrain(rising.data.walletTransfers.items({ address, limit: 2 }))
    )
    yield* Effect.promise(() => record("errors.local", errors))
  }))

it.effect("errors.configuration", () =>
  Effect.gen(function*() {
    type ApiLayer = Layer.Layer<never, ConfigError, HttpClient.HttpClient>
    const errorOf = (layer: ApiLayer, variables: Readonly<Record<string, string>>) =>
      Layer.build(layer).pipe(
        Effect.scoped,
        Effect.either,
        Effect.map(Either.match({ onLeft: String, onRight: () => "success" })),
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
        Effect.provideService(HttpClient.HttpClient, ScriptedClient.make([]).client)
      )
    const complete = {
      QUARRY_API_KEY: "key-one",
      QUARRY_BASE_URL: "https://data.test",
      QUARRY_STREAMS_URL: "https://streams.test",
      QUARRY_LEDGER_URL: "https://ledger.test",
      QUARRY_LEDGER_TESTNET_URL: "https://testnet.test"
    }
    const withUrls = (url: string) => ({
      ...Rec.map(complete, () => url),
      QUARRY_API_KEY: complete.QUARRY_API_KEY
    })
    const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      "no variable": {},
      "no key": { ...complete, QUARRY_API_KEY: "" },
      "a key with a line break": { ...complete, QUARRY_API_KEY: "key\nkey" },
      "no base URL": withUrls(" "),
      "a base URL that is none": withUrls("host"),
      "a base URL of another protocol": withUrls("ftp://host.test"),
      "a base URL with credentials": withUrls("https://user:secret@host.test"),
      "a base URL with a query": withUrls("https://host.test/?a=b"),
      "a rate limit that is none": { ...complete, QUARRY_RATE_LIMIT: "fast" }
    }
    const fromEnvironment: Record<string, unknown> = {}
    for (const [title, variables] of Object.entries(environments)) {
      fromEnvironment[title] = {
        data: yield* errorOf(DataApi.layerConfig(), variables),
        streams: yield* errorOf(StreamsApi.layerConfig(), variables),
        ledger: yield* errorOf(LedgerApi.layerConfig(), variables),
        "ledger test network": yield* errorOf(LedgerTestnetApi.layerConfig(), variables)
      }
    }
    const configurations: Readonly<Record<string, Partial<ApiOptions>>> = {
      "an empty key": { apiKey: Redacted.make("") },
      "a list without keys": { apiKey: [] },
      "a list with an empty key": {
        apiKey: [{ label: "one", key: Redacted.make("key-one") }, { label: "two", key: Redacted.make("") }]
      },
      "a key with a line break": { apiKey: Redacted.make("key\n") },
      "an empty base URL": { baseUrl: "" },
      "a base URL that is none": { baseUrl: "host" },
      "a base URL of another protocol": { baseUrl: "ftp://host.test" },
      "a base URL with credentials": { baseUrl: "https://user:secret@host.test" },
      "a base URL with a query": { baseUrl: "https://host.test/?a=b" },
      "a rate limit of 0": { rateLimit: RateLimit.make({ limit: 0, window: "1 second" }) },
      "no attempts": { retry: { ...RetryPolicy.standard, attempts: 0 } },
      "a daily quota of 0": { rateLimit: { ...RateLimit.none, dailyQuota: 0 } }
    }
    const fromOptions: Record<string, unknown> = {}
    for (const [title, configuration] of Object.entries(configurations)) {
      const options = { apiKey: Redacted.make("key"), baseUrl: "https://host.test", ...configuration }
      fromOptions[title] = {
        data: yield* errorOf(DataApi.layer(options), {}),
        ledger: yield* errorOf(LedgerApi.layer(options), {})
      }
    }
    yield* Effect.promise(() =>
      record("errors.configuration", { layerConfig: fromEnvironment, layer: fromOptions }, 4)
    )
  }))
