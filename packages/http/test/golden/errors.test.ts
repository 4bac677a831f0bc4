/** Compares the error of every failure with golden records: its tag, message and fields. The timelines have those of limits. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import type * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestContext from "effect/TestContext"
import { errorRecord, record } from "../../../core/test/golden/support/record.ts"
import { address, contract, tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { whileTimePasses } from "../support/TestTime.ts"

const jsonReply = (status: number, document: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ScriptedClient.json(document, status, headers)
const withRetryAfter = (status: number, retryAfter: string) =>
  ScriptedClient.respond(status, "", { "retry-after": retryAfter })

/** Functions, because a body can be read only once. */
const replies: Readonly<Record<string, () => ScriptedClient.ScriptedReply>> = {
  "400 with a message": () => jsonReply(400, { message: "bad parameter" }),
  "400 with a list of messages": () => jsonReply(400, { message: ["first", "second"], statusCode: 400 }),
  "400 with errors": () => jsonReply(400, { errors: [{ message: "first" }, { message: "second" }] }),
  "400 with a list of texts": () => jsonReply(400, ["first", "second"]),
  "400 with an empty message and an error": () => jsonReply(400, { message: "", error: "second" }),
  "400 without a body": () => ScriptedClient.respond(400),
  "400 in HTML": () => ScriptedClient.respond(400, "<html>\n  <h1>Bad\tRequest</h1>\n</html>"),
  "400 with a body that is very long": () => ScriptedClient.respond(400, "long ".repeat(1000)),
  "400 with a message that is very long": () => jsonReply(400, { message: "long ".repeat(1000) }),
  "400 with the key": () => jsonReply(400, { message: `the key ${TestClients.key} is bad` }),
  "400 with the key, encoded": () =>
    jsonReply(400, { message: `the key ${TestClients.key.replace("-", "%2D")} is bad` }),
  "401": () => jsonReply(401, { message: "Invalid key" }),
  "401 with a message about the plan": () => jsonReply(401, { message: "Your plan: usage consumed" }),
  "401 with a message about units": () =>
    jsonReply(401, { message: "You have exceeded your monthly compute units" }),
  "401 with a message about another plan": () =>
    jsonReply(401, { message: "Your plan does not include this endpoint" }),
  "402": () => jsonReply(402, { message: "pay" }),
  "403": () => jsonReply(403, { error: "forbidden" }),
  "404": () => jsonReply(404, { message: "no such token" }),
  "407": () => ScriptedClient.respond(407),
  "408": () => ScriptedClient.respond(408),
  "410": () => ScriptedClient.respond(410),
  "422": () => jsonReply(422, { error: { message: "nested" } }),
  "424": () => ScriptedClient.respond(424),
  "429": () => ScriptedClient.respond(429),
  "429 with Retry-After in seconds": () => withRetryAfter(429, "7"),
  "429 with Retry-After as a date": () => withRetryAfter(429, "Thu, 01 Jan 1970 00:01:30 GMT"),
  "500": () => ScriptedClient.respond(500),
  "500 with a request id": () => ScriptedClient.respond(500, "", { "x-request-id": "r-1" }),
  "500 with a request id that is very long": () =>
    ScriptedClient.respond(500, "", { "x-request-id": "7".repeat(200) }),
  "500 with an empty request id": () => ScriptedClient.respond(500, "", { "x-request-id": "" }),
  "500 with the key in its request id": () =>
    ScriptedClient.respond(500, "", { "x-request-id": `r-${TestClients.key}` }),
  "501": () => ScriptedClient.respond(501),
  "503": () => ScriptedClient.respond(503),
  "503 with Retry-After": () => withRetryAfter(503, "60"),
  "301": () => ScriptedClient.respond(301, "", { location: "https://elsewhere.test" }),
  "304": () => ScriptedClient.respond(304),
  "201": () => jsonReply(201, {}),
  "204": () => ScriptedClient.respond(204),
  "200 without a body": () => ScriptedClient.respond(200),
  "200 in HTML": () => ScriptedClient.respond(200, "<html></html>"),
  "200 with a truncated body": () => ScriptedClient.respond(200, "{\"usdPrice\": 1."),
  "200 with two documents": () => ScriptedClient.respond(200, "{} {}"),
  "200 that is not UTF-8": () => ScriptedClient.respond(200, new Uint8Array([0x22, 0xff, 0x22])),
  "200 null": () => jsonReply(200, null),
  "200 with an array": () => jsonReply(200, []),
  "200 with a field of another type": () => jsonReply(200, { usdPrice: "abc", id: {}, status: 5 }),
  "200 with the key in a field of another type": () =>
    jsonReply(200, { usdPrice: `x${TestClients.key}`, id: 5, status: { a: TestClients.key } }),
  "200 with invalid gzip": () =>
    ScriptedClient.respond(200, new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), { "content-encoding": "gzip" }),
  "a body above the size limit": () => ScriptedClient.respond(200, "x".repeat(2000)),
  "a content-length above the size limit": () =>
    ScriptedClient.respond(200, "x".repeat(2000), { "content-length": "2000", "x-request-id": "r-1" }),
  "ECONNREFUSED": () => ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
  "ECONNRESET": () => ScriptedClient.Disconnect({ code: "ECONNRESET" }),
  "UND_ERR_SOCKET": () => ScriptedClient.Disconnect({ code: "UND_ERR_SOCKET" }),
  "an invalid error code": () => ScriptedClient.Disconnect({ code: "no code" }),
  "a body that breaks off": () =>
    ScriptedClient.respond(200, ScriptedClient.brokenBody("{\"usd", "ECONNRESET"))
}

/** Replies that never end. */
const endless: typeof replies = {
  "no response": () => ScriptedClient.Hang(),
  "an endless body": () => ScriptedClient.respond(200, ScriptedClient.endlessBody("{"))
}

const options = { ...minimalOptions, maxBodySize: 1000 }

type Run = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The clock stands still: real input and output take turns, but no virtual time. */
const atOnce: Run = (call) => call
const withTime: Run = (call) => whileTimePasses(call, "1 minute")

const limits: Timeouts.Timeouts = { attempt: "10 seconds", call: "45 seconds" }

/** The error of a call with one attempt, without the fields that are null, false or empty. */
const errorOf = (
  reply: () => ScriptedClient.ScriptedReply,
  call: typeof tokenPrice,
  run: Run,
  timeouts = limits
) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => reply(), { ...options, timeouts })
    const result = yield* run(Effect.either(call.call(harness)))
    if (result._tag === "Right") return "success"
    // What was sent is the same after every failure
    const { message, operation, request, ...others } = Object(errorRecord(result.left))
    expect(operation).toBe(call.id)
    expect(request.method).toBe(call.method)
    const summary = message.replace(`${call.id}: `, "").replace(
      `${call.method} ${request.path}`,
      "the request"
    )
    return Rec.filter(
      { message: summary, ...others },
      (value) => value !== null && value !== false && value !== ""
    )
    // Each call has a clock of its own, for dates
  }).pipe(Effect.provide(TestContext.TestContext))

const errorsOf = (call: typeof tokenPrice) =>
  Effect.gen(function*() {
    const errors: Record<string, unknown> = {}
    for (const [title, reply] of Object.entries(replies)) errors[title] = yield* errorOf(reply, call, atOnce)
    for (const [title, reply] of Object.entries(endless)) {
      errors[title] = yield* errorOf(reply, call, withTime)
    }
    errors["no response within the call"] = yield* errorOf(() => ScriptedClient.Hang(), call, withTime, {
      attempt: "10 seconds",
      call: "3 seconds"
    })
    return errors
  })

it.effect("errors.read", () =>
  Effect.gen(function*() {
    const errors = yield* errorsOf(tokenPrice)
    yield* Effect.promise(() => record("errors.read", errors))
  }))

it.effect("errors.update: which are retryable, and after which the update may have been applied", () =>
  Effect.gen(function*() {
    const errors = Rec.map(yield* errorsOf(updateStreamStatus), (error) => {
      const { _tag, mayHaveBeenApplied, message, retryable } = Object(error)
      expect(message.includes("; the update may have been applied, and repeating it is safe"))
        .toBe(mayHaveBeenApplied === true)
      return [
        _tag,
        ...retryable === true ? ["retryable"] : [],
        ...mayHaveBeenApplied === true ? ["may have been applied"] : []
      ].join(", ")
    })
    yield* Effect.promise(() => record("errors.update", errors))
  }))

it.effect("errors.local", () =>
  Effect.gen(function*() {
    const errors: Record<string, unknown> = {}
    const recordError = Effect.fnUntraced(
      function*(
        title: string,
        calls: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>
      ) {
        errors[title] = errorRecord(yield* Effect.flip(calls))
      }
    )
    const harness = (script: ScriptedClient.Script) => TestClients.harness(script, minimalOptions)

    const unused = yield* harness([])
    yield* recordError("an invalid parameter", unused.data.tokenPrice({ address: "0x1" }))

    const pages = (cursor: string) => ScriptedClient.json({ page: 0, page_size: 1, cursor, result: [] })
    const repeated = yield* harness(() => pages("again"))
    yield* recordError(
      "a repeated cursor",
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
    const paginated = yield* harness(() => ScriptedClient.json(two))
    const [page] = yield* Stream.runCollect(
      paginated.data.walletTransfers.pages({ address, limit: 4 }, { maxPages: 1 })
    )
    yield* recordError(
      "a resume cursor in a call for one page",
      paginated.data.walletTransfers({ address, cursor: page?.cursor ?? "none" })
    )
    yield* recordError(
      "a cursor of another list",
      Stream.runDrain(
        paginated.data.walletTransfers.pages({ address: contract, limit: 4, cursor: page?.cursor ?? "none" })
      )
    )
    const overflowing = yield* harness(() => ScriptedClient.json(full(7)))
    yield* recordError(
      "a block larger than a page",
      Stream.runDrain(overflowing.data.walletTransfers.items({ address, limit: 2 }))
    )
    const rising = yield* harness((_, number) => ScriptedClient.json(full(6 + number)))
    yield* recordError(
      "a list out of order",
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
      QUARRY_LEDGER_URL: "https://ledger.test"
    }
    const withUrls = (url: string) => ({
      ...Rec.map(complete, () => url),
      QUARRY_API_KEY: complete.QUARRY_API_KEY
    })
    const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      "no variables": {},
      "no key": { ...complete, QUARRY_API_KEY: "" },
      "a key with a line break": { ...complete, QUARRY_API_KEY: "key\nkey" },
      "no base URL": withUrls(" "),
      "a malformed base URL": withUrls("host"),
      "a base URL of another protocol": withUrls("ftp://host.test"),
      "a base URL with credentials": withUrls("https://user:secret@host.test"),
      "a base URL with a query": withUrls("https://host.test/?a=b"),
      "a malformed rate limit": { ...complete, QUARRY_RATE_LIMIT: "fast" },
      "everything is malformed": { ...withUrls("host"), QUARRY_API_KEY: "a\nb", QUARRY_RATE_LIMIT: "fast" }
    }
    const fromEnvironment: Record<string, unknown> = {}
    for (const [title, variables] of Object.entries(environments)) {
      fromEnvironment[title] = {
        data: yield* errorOf(DataApi.layerConfig(), variables),
        ledger: yield* errorOf(LedgerApi.layerConfig(), variables)
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
      "a malformed base URL": { baseUrl: "host" },
      "a base URL of another protocol": { baseUrl: "ftp://host.test" },
      "a base URL with credentials": { baseUrl: "https://user:secret@host.test" },
      "a base URL with a query": { baseUrl: "https://host.test/?a=b" },
      "a key with a character that is not in Latin-1": { apiKey: Redacted.make("a€b") }
    }
    const fromOptions: Record<string, unknown> = {}
    for (const [title, configuration] of Object.entries(configurations)) {
      const options = { apiKey: Redacted.make("key"), baseUrl: "https://host.test", ...configuration }
      fromOptions[title] = yield* errorOf(LedgerApi.layer(options), {})
    }
    yield* Effect.promise(() =>
      record("errors.configuration", { layerConfig: fromEnvironment, layer: fromOptions }, 4)
    )
  }))
