/** Cache hits, raw and decoded. */
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Upstream from "@blockquarry/http/Upstream"
import * as HttpClient from "@effect/platform/HttpClient"
import * as EffectCache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Benchmark } from "../Benchmark.ts"
import { clientOptions } from "../BlockquarryClient.ts"
import { pageSize, transfersPage, wallet } from "../Documents.ts"
import * as StubClient from "../StubClient.ts"
import { effectSubject, syncSubject } from "../Subject.ts"

const callerInput = { address: wallet, chain: "eth" } as const

const input = Either.getOrThrow(decodeInput(walletTransfers, callerInput))
const request = encodeRequest(walletTransfers, input)

const comparisons = Effect.gen(function*() {
  const bytes = Buffer.from(transfersPage("strings", "next"))
  const client = StubClient.makeStubClient(() => bytes)
  const engine = yield* Effect.map(Layer.build(Engine.layer), Context.get(Engine.Engine))
  const cachedOptions = { ...clientOptions("http://hits.test"), cache: ResponseCache.standard }
  const upstream = yield* Upstream.make("data", cachedOptions).pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.orDie
  )
  const data = yield* DataApi.make(cachedOptions).pipe(
    Effect.provideService(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.orDie
  )
  const response = { status: 200, headers: {}, bytes }
  const entry = { response, version: 0, storedAt: 0, freshUntil: 1, expiresAt: 1 }
  const map = new Map([["key", response]])
  const store = yield* CacheStore.memory()
  yield* store.set("key", entry)
  const effectCache = yield* EffectCache.make({
    capacity: 1000,
    timeToLive: "1 hour",
    lookup: (key: string) => key === "key" ? Effect.succeed(response) : Effect.dieMessage(key)
  })
  const countIfComplete = (length: number | undefined) => length === bytes.byteLength ? 1 : 0
  return [{
    title: "hit through the library, 91 KB",
    unit: "hit",
    records: 1,
    baseline: syncSubject("Map", () => countIfComplete(map.get("key")?.bytes.byteLength)),
    peers: [
      effectSubject(
        "effect/Cache",
        Effect.map(effectCache.get("key"), ({ bytes }) => countIfComplete(bytes.byteLength))
      )
    ],
    blockquarry: [
      effectSubject(
        "CacheStore.memory",
        Effect.map(store.get("key"), (entry) => countIfComplete(entry?.response.bytes.byteLength))
      ),
      {
        ...effectSubject(
          "Engine.raw",
          Effect.map(
            engine.raw(walletTransfers, upstream, Engine.bodyScan)(input, request),
            ({ response }) => countIfComplete(response.bytes.byteLength)
          )
        ),
        target: { cost: 4 }
      },
      {
        ...effectSubject(
          "DataApi.walletTransfers",
          Effect.map(data.walletTransfers(callerInput), ({ result }) => result.length === pageSize ? 1 : 0)
        ),
        target: { cost: 10 }
      }
    ]
  }] as const
})

export const hits: Benchmark = { name: "hits", comparisons }
