/** Answers from the cache: what they cost, raw and decoded. */
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { readInput, writeRequest } from "@blockquarry/core/Wire"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Target from "@blockquarry/http/Target"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Benchmark } from "../Benchmark.ts"
import { calling, running } from "../Contestant.ts"
import { pageSize, transfers, wallet } from "../Documents.ts"
import { options } from "../Ours.ts"
import * as StubClient from "../StubClient.ts"

const asked = { address: wallet, chain: "eth" } as const

const input = Either.getOrThrow(readInput(walletTransfers, asked))
const request = writeRequest(walletTransfers, input)

const races = Effect.gen(function*() {
  const bytes = Buffer.from(transfers("strings", "next"))
  const client = StubClient.make(() => bytes)
  const engine = yield* Effect.map(Layer.build(Engine.layer), Context.get(Engine.Engine))
  const kept = { ...options("http://hits.test"), cache: ResponseCache.standard }
  const target = yield* Effect.provideService(
    Target.make("data", kept, "the base URL"),
    HttpClient.HttpClient,
    client
  )
  const data = yield* DataApi.make(kept).pipe(
    Effect.provideService(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client)
  )
  const answer = { status: 200, headers: {}, bytes }
  const entry = { answer, storedAt: 0, freshUntil: 1, keepUntil: 1 }
  const inMap = new Map([["key", answer]])
  const store = yield* CacheStore.memory()
  yield* store.set("key", entry)
  const peer = yield* Cache.make({
    capacity: 1000,
    timeToLive: "1 hour",
    lookup: (key: string) => key === "key" ? Effect.succeed(answer) : Effect.dieMessage(key)
  })
  const found = (length: number | undefined) => length === bytes.byteLength ? 1 : 0
  return [{
    title: "hits: a page of 91 kB from the cache",
    unit: "hit",
    records: 1,
    contestants: [
      calling("a Map", () => found(inMap.get("key")?.bytes.byteLength)),
      running(
        "CacheStore.memory",
        Effect.map(store.get("key"), (entry) => found(entry?.answer.bytes.byteLength))
      ),
      running("effect/Cache", Effect.map(peer.get("key"), ({ bytes }) => found(bytes.byteLength))),
      running(
        "Engine.raw",
        Effect.map(
          engine.raw(walletTransfers, target)(input, request),
          ({ answer }) => found(answer.bytes.byteLength)
        )
      ),
      running(
        "DataApi.walletTransfers",
        Effect.map(data.walletTransfers(asked), ({ result }) => result.length === pageSize ? 1 : 0)
      )
    ]
  }] as const
})

export const hits: Benchmark = { name: "hits", races }
