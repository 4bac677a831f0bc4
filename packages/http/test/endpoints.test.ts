/** Requests that no operation describes, over sockets and with each transport. */
import * as DataApi from "@blockquarry/http/DataApi"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { cases, escapingPaths, key, start } from "./support/OtherEndpoints.ts"
import * as Server from "./support/Server.ts"
import { immediateRetries } from "./support/TestClients.ts"

/** The client of a service that runs until the scope closes. */
const connected = Effect.gen(function*() {
  const service = yield* Effect.acquireRelease(Effect.promise(start), ({ close }) => Effect.promise(close))
  const { baseUrl } = service
  const options = { apiKey: Redacted.make(key), baseUrl, retry: immediateRetries(3), cache: {} }
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
