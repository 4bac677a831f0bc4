/** Tests that clients of one Redis serve the response to the request that was sent last, also after an outage of Redis. */
import * as Api from "@blockquarry/http/Api"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { sample } from "../../core/test/support/sample.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const address = `0x${"1".repeat(40)}`

/** Clients with an engine each, as in several processes. The responses of their upstream are numbered. */
const numberedClients = (url: string) =>
  Effect.sync(() => {
    let requests = 0
    const upstream = HttpClient.make((request) =>
      Effect.sync(() =>
        HttpClientResponse.fromWeb(
          request,
          new Response(JSON.stringify({ token_address: address, token_id: "9", name: String(++requests) }), {
            headers: { "content-type": "application/json" }
          })
        )
      )
    )
    return Effect.map(
      Layer.build(
        Api.layerWithEngine(DataApi.DataApi, {
          apiKey: Redacted.make("key-of-the-test"),
          baseUrl: "https://host.test",
          cache: ResponseCache.standard
        }).pipe(Layer.provide([
          Layer.provide(Engine.layerWithStores, RedisStores.layer({ url })),
          Layer.succeed(HttpClient.HttpClient, upstream)
        ]))
      ),
      (context) => {
        // Fresh for five minutes
        const call = Context.get(context, DataApi.DataApi).nftMetadata({ address, token_id: "9" })
        const nameOf = Effect.map(({ name }: Effect.Effect.Success<typeof call>) => name)
        return {
          cached: nameOf(call),
          reloaded: nameOf(CallOptions.withCallOptions(call, { cacheMode: "reload" }))
        }
      }
    )
  })

type Fault = readonly [
  name: string,
  begin: (server: RedisServer.RedisServer, inspector: Inspector.Inspector) => Effect.Effect<unknown>,
  end: (server: RedisServer.RedisServer, inspector: Inspector.Inspector) => Effect.Effect<unknown>
]

const faults: ReadonlyArray<Fault> = [
  [
    "is full and evicts nothing",
    (_, { send }) => send((client) => client.config("SET", "maxmemory", "1")),
    (_, { send }) => send((client) => client.config("SET", "maxmemory", "0"))
  ],
  ["is paused", ({ pause }) => pause, ({ resume }) => resume]
]

describe.skipIf(RedisServer.program === undefined)(
  `after an outage, clients with Redis stores${RedisServer.skipReason}`,
  () => {
    it.scopedLive.each(sample(faults, 2))(
      "serve the response that one of them received while Redis %s",
      ([, begin, end]) =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make({ args: ["--maxmemory-policy", "noeviction"] })
          const inspector = yield* Inspector.make(server)
          const recorder = yield* OutputRecorder.make
          yield* recorder.record(Effect.gen(function*() {
            const connected = yield* numberedClients(server.url)
            const [one, other] = yield* Effect.all([connected, connected])
            // Each line is recorded in two formats
            const cacheIs = (state: string) =>
              until(Effect.sync(() =>
                recorder.output.filter((line) => line.includes(`the cache store is ${state}`)).length >= 4
              ))
            expect(yield* one.cached).toBe("1")
            yield* until(Effect.map(inspector.keys, (keys) =>
              keys.some((key) =>
                key.startsWith("quarry:response:")
              )))
            expect(yield* other.cached).toBe("1")

            yield* begin(server, inspector)
            yield* cacheIs("unavailable")
            expect(yield* one.reloaded).toBe("2")
            expect(yield* one.cached).toBe("2")
            yield* end(server, inspector)

            // Not before the next comparison of versions
            yield* until(Effect.map(other.cached, (name) => name !== "1"))
            expect([yield* other.cached, yield* one.cached]).toEqual(["2", "2"])
          }))
        })
    )

    it.scopedLive(
      "serve the response that Redis has lost, as a restart loads what it had saved before",
      () =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make()
          const inspector = yield* Inspector.make(server)
          const connected = yield* numberedClients(server.url)
          const [one, other] = yield* Effect.all([connected, connected])
          /** The stored response with its version. */
          const stored = Effect.flatMap(inspector.keys, (keys) =>
            inspector.send((client) =>
              client.get(
                keys.find((key) => key.startsWith("quarry:response:")) ?? ""
              )
            ))
          expect(yield* one.cached).toBe("1")
          yield* until(Effect.map(stored, (value) => value !== null))
          const older = yield* stored
          yield* inspector.send((client) => client.save())
          expect(yield* one.reloaded).toBe("2")
          yield* until(Effect.map(stored, (value) => value !== older))
          expect(yield* other.cached).toBe("2")
          const newer = yield* stored

          yield* server.restart
          expect(yield* stored).toBe(older)
          const names = new Set<string | null>()
          yield* until(Effect.zipRight(
            Effect.flatMap(Effect.all([one.cached, other.cached]), (both) =>
              Effect.sync(() => both.forEach((name) => names.add(name)))),
            Effect.map(stored, (value) =>
              value === newer)
          ))
          expect([...names]).toEqual(["2"])
          expect(yield* other.reloaded).toBe("3")
          yield* until(Effect.map(one.cached, (name) => name === "3"))
        })
    )
  }
)
