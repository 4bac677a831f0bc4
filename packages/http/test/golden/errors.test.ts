/** Compares the error of every failure with golden records: its tag, message and fields. The timelines have those of limits. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import type * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestContext from "effect/TestContext"
import { readFileSync } from "node:fs"
import { errorRecord, record } from "../../../core/test/golden/support/record.ts"
import { address, contract, tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { minimalOptions } from "../support/PriceCalls.ts"
import { run } from "../support/Programs.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { whileTimePasses } from "../support/TestTime.ts"

type Reply = () => ScriptedClient.ScriptedReply

/** Replies that the titles of the records do not say. Functions, because a body can be read only once. */
const replies: Readonly<Record<string, Reply>> = {
  "400 with a body that is very long": () => ScriptedClient.respond(400, "long ".repeat(1000)),
  "400 with the key": () => ScriptedClient.json({ message: `the key ${TestClients.key} is bad` }, 400),
  "400 with the key, encoded": () =>
    ScriptedClient.json({ message: `the key ${TestClients.key.replace("-", "%2D")} is bad` }, 400),
  "500 with a request id that is very long": () =>
    ScriptedClient.respond(500, "", { "x-request-id": "7".repeat(200) }),
  "500 with the key in its request id": () =>
    ScriptedClient.respond(500, "", { "x-request-id": `r-${TestClients.key}` }),
  "200 that is not UTF-8": () => ScriptedClient.respond(200, new Uint8Array([0x22, 0xff, 0x22])),
  "200 with the key in a field of another type": () =>
    ScriptedClient.json({ usdPrice: `x${TestClients.key}`, id: 5, status: { a: TestClients.key } }),
  "200 with invalid gzip": () =>
    ScriptedClient.respond(200, new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), { "content-encoding": "gzip" }),
  "a body above the size limit": () => ScriptedClient.respond(200, "x".repeat(2000)),
  "a content-length above the size limit": () =>
    ScriptedClient.respond(200, "x".repeat(2000), { "content-length": "2000", "x-request-id": "r-1" }),
  "an invalid error code": () => ScriptedClient.Disconnect({ code: "no code" }),
  "a body that breaks off": () =>
    ScriptedClient.respond(200, ScriptedClient.brokenBody("{\"usd", "ECONNRESET"))
}

/** Replies that never end. */
const endless: typeof replies = {
  "no response": () => ScriptedClient.Hang(),
  "no response within the call": () => ScriptedClient.Hang(),
  "an endless body": () => ScriptedClient.respond(200, ScriptedClient.endlessBody("{"))
}

/** Returns the reply of a title such as `404`, `503 (retry-after: 60)`, `404: {"message":"none"}` or `ECONNRESET`. */
const replyOf = (title: string): Reply => {
  const [, status, header, value = "", body] = /^(\d+)(?: \((\S+): (.*)\))?(?:: ([^]*))?$/.exec(title) ?? []
  return () =>
    status === undefined
      ? ScriptedClient.Disconnect({ code: title })
      : ScriptedClient.respond(Number(status), body, header === undefined ? {} : { [header]: value })
}

/** The error of a call with one attempt, without the fields that are null, false or empty. */
const errorOf = (title: string, { call, id, method }: typeof tokenPrice) =>
  Effect.gen(function*() {
    const hanging = endless[title]
    const reply = hanging ?? replies[title] ?? replyOf(title)
    const harness = yield* TestClients.harness(() => reply(), {
      ...minimalOptions,
      maxBodySize: 1000,
      timeouts: { attempt: "10 seconds", call: title.endsWith("the call") ? "3 seconds" : "45 seconds" }
    })
    const sent = Effect.either(call(harness))
    // Real input and output take turns while the clock stands still
    const result = yield* hanging === undefined ? sent : whileTimePasses(sent, "1 minute")
    if (result._tag === "Right") return "success"
    // What was sent is the same after every failure
    const { message, operation, request, ...others } = Object(errorRecord(result.left))
    expect([operation, request.method]).toEqual([id, method])
    const summary = message.replace(`${id}: `, "").replace(`${method} ${request.path}`, "the request")
    return Rec.filter(
      { message: summary, ...others },
      (value) => value !== null && value !== false && value !== ""
    )
    // Each call has a clock of its own, for dates
  }).pipe(Effect.provide(TestContext.TestContext))

/** The record is the list of cases: a new one has a title that says its reply, whose error `vitest -u` writes. */
const titles: object = JSON.parse(
  readFileSync(new URL("records/errors.read.json", import.meta.url), "utf8")
)

const errorsOf = (call: typeof tokenPrice) =>
  Effect.all(Rec.map({ ...titles }, (_, title: string) => errorOf(title, call)))

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
    const full = (block: number) => ({
      result: [1, 2].map((log_index) => ({
        transaction_hash: `0x${"12".repeat(32)}`,
        block_number: block,
        log_index,
        value: "1"
      }))
    })
    const failure = (
      reply: (number: number) => unknown,
      call: (
        data: TestClients.Clients["data"]
      ) => Stream.Stream<unknown, { readonly _tag: string; readonly message: string }>
    ) =>
      Effect.gen(function*() {
        const script: ScriptedClient.Script = (_, number) => ScriptedClient.json(reply(number))
        const { data } = yield* TestClients.harness(script, minimalOptions)
        return errorRecord(yield* Effect.flip(Stream.runDrain(call(data))))
      })
    /** The cursor of the first page of two blocks. */
    const blocks = () => ({ result: [...full(9).result, ...full(8).result] })
    const { data } = yield* TestClients.harness(() => ScriptedClient.json(blocks()), minimalOptions)
    const pages = data.walletTransfers.pages({ address, limit: 4 }, { maxPages: 1 })
    const cursor = Option.getOrThrow(yield* Stream.runHead(pages)).cursor ?? "none"
    const errors = yield* Effect.all({
      "an invalid parameter": failure(() => null, (data) => data.tokenPrice({ address: "0x1" })),
      "a repeated cursor": failure(
        () => ({ page: 0, page_size: 1, cursor: "again", result: [] }),
        (data) => data.tokenOwners.items({ token_address: address })
      ),
      "a resume cursor in a call for one page": failure(
        blocks,
        (data) => data.walletTransfers({ address, cursor })
      ),
      "a cursor of another list": failure(
        blocks,
        (data) => data.walletTransfers.pages({ address: contract, limit: 4, cursor })
      ),
      "a block larger than a page": failure(
        () => full(7),
        (data) => data.walletTransfers.items({ address, limit: 2 })
      ),
      "a list out of order": failure(
        (number) => full(6 + number),
        (data) => data.walletTransfers.items({ address, limit: 2 })
      )
    })
    yield* Effect.promise(() => record("errors.local", errors))
  }))

it.effect("errors.configuration", () =>
  Effect.gen(function*() {
    const errorsOf = (
      layer: Layer.Layer<never, ConfigError, HttpClient.HttpClient>,
      variables: Readonly<Record<string, string>> = {}
    ) => Effect.merge(Effect.as(Effect.mapError(run(Effect.void, layer, [], variables), String), "success"))
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
    const configurations: Readonly<Record<string, Partial<ApiOptions>>> = {
      "an empty key": { apiKey: Redacted.make("") },
      "a list without keys": { apiKey: [] },
      "a list with an empty key": {
        apiKey: [{ label: "one", key: Redacted.make("key-one") }, { label: "two", key: Redacted.make("") }]
      },
      "a key with a line break": { apiKey: Redacted.make("key\n") },
      "an empty base URL": { baseUrl: "" },
      "a key with a character that is not in Latin-1": { apiKey: Redacted.make("a€b") }
    }
    const errors = yield* Effect.all({
      layerConfig: Effect.all(Rec.map(environments, (variables) =>
        Effect.all({
          data: errorsOf(DataApi.layerConfig(), variables),
          ledger: errorsOf(LedgerApi.layerConfig(), variables)
        }))),
      layer: Effect.all(Rec.map(configurations, (configuration) =>
        errorsOf(
          LedgerApi.layer({ apiKey: Redacted.make("key"), baseUrl: "https://host.test", ...configuration })
        )))
    })
    yield* Effect.promise(() => record("errors.configuration", errors, 4))
  }))
