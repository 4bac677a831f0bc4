/** Where requests go, and what is said when that, or the key, is missing or wrong. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Upstream from "../../../src/internal/pipeline/Upstream.ts"
import { address, examples, hash, tokenPrice, updateStreamStatus } from "../../support/Examples.ts"
import { failureOf } from "../../support/Failures.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"

const path = `/erc20/${address}/price`

describe("the base address of the main API", () => {
  const bases: ReadonlyArray<readonly [base: string | URL, url: string]> = [
    ["https://host.test", `https://host.test/api/v2.2${path}`],
    ["https://host.test/", `https://host.test/api/v2.2${path}`],
    ["https://host.test///", `https://host.test/api/v2.2${path}`],
    ["https://host.test:8443", `https://host.test:8443/api/v2.2${path}`],
    ["http://127.0.0.1:3000/", `http://127.0.0.1:3000/api/v2.2${path}`],
    ["http://[::1]:3000", `http://[::1]:3000/api/v2.2${path}`],
    ["https://host.test/some/path", `https://host.test/some/path/api/v2.2${path}`],
    ["https://host.test/some/path/", `https://host.test/some/path/api/v2.2${path}`],
    ["https://host.test/a%20b/", `https://host.test/a%20b/api/v2.2${path}`],
    ["https://host.test/api/v2.2", `https://host.test/api/v2.2${path}`],
    ["https://host.test/api/v2.2/", `https://host.test/api/v2.2${path}`],
    ["https://host.test/some/api/v2.2/", `https://host.test/some/api/v2.2${path}`],
    ["https://host.test/api/v2.2/more", `https://host.test/api/v2.2/more/api/v2.2${path}`],
    [new URL("https://HOST.test/p/"), `https://host.test/p/api/v2.2${path}`]
  ]

  it.effect.each(bases)(
    "%s keeps its path, and gets the prefix once",
    ([baseUrl, url]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.respond(404)], { baseUrl })
        yield* Effect.ignore(tokenPrice.call(harness))
        expect(harness.requests.map((requests) => requests.url.href)).toEqual([url])
      })
  )

  it.effect("of the other two gets no prefix", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(404), {
        baseUrl: "https://host.test/p/"
      })
      yield* Effect.ignore(updateStreamStatus.call(harness))
      yield* Effect.ignore(harness.ledger.ledgerTransaction({ txn_hash: hash }))
      expect(harness.requests.map(({ url }) => url.href)).toEqual([
        "https://host.test/p/streams/evm/stream-1/status",
        `https://host.test/p/transactions/by_hash/${hash}`
      ])
    }))

  const bad: ReadonlyArray<readonly [base: string, problem: string]> = [
    ["host.test", "no URL"],
    ["/api/v2.2", "no URL"],
    ["https://", "no URL"],
    ["not an address", "no URL"],
    ["ftp://host.test", "http or https"],
    ["file:///etc/passwd", "http or https"],
    ["javascript:alert(1)", "http or https"],
    ["https://user:secret@host.test", "credentials"],
    ["https://user@host.test", "credentials"],
    ["https://host.test?apikey=secret", "must end before ?"],
    ["https://host.test/#secret", "must end before ?"]
  ]

  it.effect.each(bad)(
    "%s is refused before anything is sent, and not repeated",
    ([baseUrl, problem]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([], { baseUrl })
        const error = yield* failureOf(tokenPrice.call(harness))
        expect(error).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: "QUARRY_BASE_URL" }] })
        expect(error.message).toContain(problem)
        expect(error.message).not.toContain("secret")
      })
  )
})

describe("what is missing", () => {
  const settings: ReadonlyArray<readonly [id: string, setting: string]> = examples.map(({ id }) => [
    id,
    id === "updateStreamStatus"
      ? "QUARRY_STREAMS_URL"
      : id === "ledgerTransaction"
      ? "QUARRY_LEDGER_URL"
      : "QUARRY_BASE_URL"
  ])

  it.effect.each(settings)(
    "%s without an address names %s, and sends nothing",
    ([id, setting]) =>
      Effect.gen(function*() {
        for (const baseUrl of [undefined, ""]) {
          const harness = yield* TestClients.harness([], { baseUrl, apiKey: undefined })
          const error = yield* failureOf(
            examples.find((example) => example.id === id)?.call(harness) ?? Effect.void
          )
          expect(error).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: setting }] })
          expect(error.message).toContain(setting)
        }
      })
  )

  it.effect.each(examples)(
    "$id without a key names QUARRY_API_KEY, and sends nothing",
    ({ call: ask }) =>
      Effect.gen(function*() {
        for (const apiKey of [undefined, Redacted.make("")]) {
          const error = yield* failureOf(ask(yield* TestClients.harness([], { apiKey })))
          expect(error).toMatchObject({ _tag: "AuthenticationError", request: null, status: null })
          expect(error.message).toContain("QUARRY_API_KEY")
        }
      })
  )

  it.effect.each(["abc\n", "abc\r\n", "a\u0000b", "a€b"])(
    "a key that no header can carry is refused unsent: %j",
    (wrong) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([], { apiKey: Redacted.make(wrong) })
        for (const example of [tokenPrice, updateStreamStatus]) {
          const error = yield* failureOf(example.call(harness))
          expect(error).toMatchObject({
            _tag: "InvalidInputError",
            issues: [{ parameter: "QUARRY_API_KEY" }]
          })
          expect(error.message).not.toContain(wrong.trim())
        }
      })
  )

  it.effect("the test network of the ledger names its own setting", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([], { baseUrl: undefined })
      const error = yield* failureOf(harness.ledger.testnet.ledgerTransaction({ txn_hash: hash }))
      expect(error.message).toContain("QUARRY_LEDGER_TESTNET_URL")
    }))

  it.effect("an input is refused by the names of its parameters, and nothing is sent", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([])
      const error = yield* failureOf(harness.data.tokenTransfers({ address: "0x12", limit: 0 }))
      expect(error).toMatchObject({
        _tag: "InvalidInputError",
        issues: [{ parameter: "address" }, { parameter: "limit" }]
      })
      for (const id of [".", "..", "", "\ud800"]) {
        const refused = yield* failureOf(harness.streams.updateStreamStatus({ id, status: "active" }))
        expect(refused).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: "id" }] })
      }
    }))
})

describe("what no kept answer may say", () => {
  it.effect("is every key and every word besides, each once", () =>
    Effect.gen(function*() {
      const { client } = ScriptedClient.make([])
      const target = yield* Upstream.make("data", {
        apiKey: [
          { label: "one", key: Redacted.make("key-one") },
          { label: "two", key: Redacted.make("key-two") },
          { label: "again", key: Redacted.make("key-one") }
        ],
        baseUrl: "https://host.test",
        uncacheable: ["key-two", "another", "another"].map((word) => Redacted.make(word))
      }, "QUARRY_BASE_URL").pipe(Effect.provideService(HttpClient.HttpClient, client))
      const { uncacheable: neverKept } = yield* Either.mapLeft(target.keyPool, (failed) => failed("test"))
      expect(neverKept.map((word) => Redacted.value(word))).toEqual(["key-one", "key-two", "another"])
    }))
})

describe("configuration", () => {
  const settings = {
    QUARRY_API_KEY: TestClients.key,
    QUARRY_BASE_URL: "https://main.test",
    QUARRY_STREAMS_URL: "https://streams.test",
    QUARRY_LEDGER_URL: "https://ledger.test",
    QUARRY_LEDGER_TESTNET_URL: "https://testnet.test"
  }

  /** Asks all four addresses, each client made from the environment. */
  const callAll = (environment: Readonly<Record<string, string>>) =>
    Effect.gen(function*() {
      const { requests, client } = ScriptedClient.make(() => ScriptedClient.respond(404))
      const layers = Layer.mergeAll(DataApi.layerConfig(), StreamsApi.layerConfig(), LedgerApi.layerConfig())
        .pipe(
          Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
          Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))))
        )
      const tags = yield* Effect.gen(function*() {
        const data = yield* DataApi.DataApi
        const streams = yield* StreamsApi.StreamsApi
        const ledger = yield* LedgerApi.LedgerApi
        const errors = yield* Effect.all([
          failureOf(data.walletChains({ address })),
          failureOf(streams.updateStreamStatus({ id: "s", status: "active" })),
          failureOf(ledger.ledgerTransaction({ txn_hash: hash })),
          failureOf(ledger.testnet.ledgerTransaction({ txn_hash: hash }))
        ])
        return errors.map(({ _tag }) => _tag)
      }).pipe(Effect.provide(layers))
      return { tags, asked: requests }
    })

  it.effect("gives every client its address and all of them the key", () =>
    Effect.gen(function*() {
      const { asked: requests } = yield* callAll(settings)
      expect(requests.map(({ url }) => url.host)).toEqual([
        "main.test",
        "streams.test",
        "ledger.test",
        "testnet.test"
      ])
      expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual(
        Array.from({ length: 4 }, () => TestClients.key)
      )
    }))

  it.effect("demands only the address that an operation needs", () =>
    Effect.gen(function*() {
      const { QUARRY_API_KEY, QUARRY_LEDGER_URL } = settings
      const { asked: requests, tags } = yield* callAll({
        QUARRY_API_KEY,
        QUARRY_LEDGER_URL,
        QUARRY_BASE_URL: ""
      })
      expect(tags).toEqual(["InvalidInputError", "InvalidInputError", "NotFoundError", "InvalidInputError"])
      expect(requests).toHaveLength(1)
    }))

  it.effect("without a key, or with an empty one, makes clients that say so", () =>
    Effect.gen(function*() {
      const { asked: requests, tags } = yield* callAll({ ...settings, QUARRY_API_KEY: "" })
      expect(tags).toEqual(Array.from({ length: 4 }, () => "AuthenticationError"))
      expect(requests).toEqual([])
    }))
})
