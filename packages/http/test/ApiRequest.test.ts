/** Requests that no operation describes: outputs, lists and options, over sockets with each transport. */
import { Amount } from "@blockquarry/core/Amount"
import { page } from "@blockquarry/core/Page"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { cachingOptions } from "./support/CacheFixtures.ts"
import { failureOf } from "./support/Failures.ts"
import { cases, escapingPaths, key, start } from "./support/OtherEndpoints.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as Server from "./support/Server.ts"
import * as TestClients from "./support/TestClients.ts"

const { json, respond } = ScriptedClient

/** A schema that decodes only asynchronously. */
const Later = Schema.transformOrFail(Schema.Struct({ id: Schema.Number }), Schema.Number, {
  strict: true,
  decode: ({ id }) => Effect.promise(async () => id),
  encode: (id) => Effect.succeed({ id })
})

describe("the output", () => {
  it.effect("is what the schema decodes, also asynchronously", () =>
    Effect.gen(function*() {
      const { data } = yield* TestClients.harness([respond(201, `{"amount":${2n ** 200n}}`), json({ id: 7 })])
      const path = "/fresh"
      const output = Schema.Struct({ amount: Amount })
      expect(yield* data.request({ method: "POST", path, output })).toEqual({ amount: 2n ** 200n })
      expect(yield* data.request({ path, output: Later })).toBe(7)
    }))

  it.effect("that does not fit fails with its path, and is not retried", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(() => json({ amounts: ["1", "x"], id: "y" }))
      const output = Schema.Struct({ amounts: Schema.Array(Amount) })
      expect(yield* failureOf(data.request({ path: "/fresh", output }))).toMatchObject({
        _tag: "InvalidResponseError",
        operation: "request",
        path: "amounts[1]",
        reason: "expected an integer of at least 0, got \"x\"",
        mayHaveBeenApplied: false
      })
      const later = data.request({ method: "POST", path: "/fresh", output: Later })
      expect(yield* failureOf(later)).toMatchObject({ path: "id", mayHaveBeenApplied: true })
      expect(requests).toHaveLength(2)
    }))

  it.effect("that is decoded asynchronously says why it does not fit, without the API key", () =>
    Effect.gen(function*() {
      const { data } = yield* TestClients.harness(({ headers, url }) =>
        json({ id: url.pathname.endsWith("key") ? Object.values(headers).join() : "y" })
      )
      const failure = (path: string) => failureOf(data.request({ path, output: Later }))
      expect((yield* failure("/fresh")).message).toContain("at id: Expected number, actual \"y\"")
      expect((yield* failure("/key")).message).toMatch(/at id: Expected number, actual ".*<redacted>/)
    }))
})

describe("a list", () => {
  it.effect("fails if its schema omits the cursor, instead of ending after the first page", () =>
    Effect.gen(function*() {
      const { data } = yield* TestClients.harness(() => json({ cursor: "a", result: [1] }))
      const output = Schema.Struct({ result: Schema.Array(Schema.Number) })
      const error = yield* failureOf(Stream.runDrain(data.request.items({ path: "/fresh", output })))
      expect(error.message).toContain("the schema `output` omits the cursor")
    }))

  it.effect("takes the models of core, options of pagination and those of calls", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(({ url }) =>
        json({ cursor: `${Number(url.searchParams.get("cursor") ?? 0) + 1}`, result: ["1", "2"] })
      )
      const items = data.request.items({ path: "/fresh", output: page(Amount) }, { cursor: "5", maxItems: 3 })
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(items))).toEqual([1n, 2n, 1n])
      expect(requests.map(({ url }) => url.search)).toEqual(["?cursor=5", "?cursor=6"])
      const invalid = data.request.pages({ path: "/fresh" }, { maxPages: -1 })
      expect((yield* failureOf(Stream.runDrain(invalid))).message).toContain("maxPages: expected")
      const resumed = data.request.pages({ path: "/fresh" }, { cursor: "quarry-resume-1.x" })
      expect((yield* failureOf(Stream.runDrain(resumed))).message).toContain("cursor: invalid cursor")
    }))
})

describe("a request", () => {
  it.effect("is never cached, and takes the options and the query of its region", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(() => json(1), cachingOptions)
      const call = data.request({ path: "/fresh", query: { a: 1, b: 2 } })
      yield* call
      yield* CallOptions.withCallOptions(call, { query: { b: 3, c: 4 }, cacheMode: "default" })
      expect(requests.map(({ url }) => url.search)).toEqual(["?a=1&b=2", "?b=2&c=4&a=1"])
    }))
})

/** The client of a service that runs until the scope closes. */
const connected = Effect.gen(function*() {
  const service = yield* Effect.acquireRelease(Effect.promise(start), ({ close }) => Effect.promise(close))
  const { baseUrl } = service
  const options = { apiKey: Redacted.make(key), baseUrl, retry: TestClients.immediateRetries(3), cache: {} }
  const data = yield* Effect.provide(DataApi.DataApi, DataApi.layer(options))
  return { service, data }
})

describe.each(Server.clients)("through %s", (_, client) => {
  it.scopedLive.each(cases)(
    "$name",
    ({ error, isList = false, output, request, sent }) =>
      Effect.gen(function*() {
        const { data, service } = yield* connected
        const call: Effect.Effect<unknown, { readonly _tag: string }> = isList
          ? Effect.map(Stream.runCollect(data.request.items(request)), Chunk.toReadonlyArray)
          : data.request(request)
        const result = yield* Effect.either(call)
        expect(Either.isLeft(result) ? result.left._tag : result.right).toEqual(error ?? output)
        expect(service.sent).toEqual(sent)
        expect(new Set(service.keys)).toEqual(new Set([key]))
        expect(service.sentElsewhere).toEqual([])
      }).pipe(Effect.provide([client, Logger.remove(Logger.defaultLogger)]))
  )

  it.scopedLive("no path leaves the base URL", () =>
    Effect.gen(function*() {
      const { data, service } = yield* connected
      for (const path of escapingPaths(service.elsewhere)) {
        for (const method of ["GET", "DELETE"] as const) {
          const error = yield* Effect.flip(data.request({ method, path }))
          expect(error).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: "path" }] })
        }
        yield* Effect.flip(Stream.runDrain(data.request.pages({ path })))
      }
      expect([...service.sent, ...service.sentElsewhere]).toEqual([])
    }).pipe(Effect.provide([client, Logger.remove(Logger.defaultLogger)])))
})
