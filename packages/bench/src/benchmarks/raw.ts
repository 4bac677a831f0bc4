/** What the engine's raw end costs beyond the client of HTTP that it sends with; without network. */
import type { Operation } from "@blockquarry/core/Operation"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { readInput, writeRequest } from "@blockquarry/core/Wire"
import * as Engine from "@blockquarry/http/Engine"
import * as Target from "@blockquarry/http/Target"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Benchmark } from "../Benchmark.ts"
import { running } from "../Contestant.ts"
import { price, size, transfers, wallet } from "../Documents.ts"
import { key, options } from "../Ours.ts"
import type { Race } from "../Race.ts"
import * as StubClient from "../StubClient.ts"

const base = "http://raw.test"
const headers = { accept: "application/json", "x-api-key": key }

const race = <I, A, O, W>(
  title: string,
  body: string,
  operation: Operation<I, A, O, W>
): Effect.Effect<Race> =>
  Effect.gen(function*() {
    const input = Either.getOrThrow(readInput(operation, { address: wallet, chain: "eth" }))
    const request = writeRequest(operation, input)
    const bytes = Buffer.from(body)
    const client = StubClient.make(() => bytes)
    const target = yield* Effect.provideService(
      Target.make("data", options(base), "the base URL"),
      HttpClient.HttpClient,
      client
    )
    const engine = yield* Effect.provide(Engine.Engine, Engine.layer)
    const ask = engine.raw(operation, target)
    const url = `${base}/api/v2.2${request.path}?chain=eth`
    const whole = (length: number) => length === bytes.byteLength ? 1 : 0
    return {
      title: `raw: ${title}, ${size(body)}, without network`,
      unit: "call",
      records: 1,
      contestants: [
        running(
          "HttpClient + arrayBuffer",
          client.get(url, { headers }).pipe(
            Effect.flatMap((response) => response.arrayBuffer),
            Effect.map(({ byteLength }) => whole(byteLength))
          )
        ),
        running(
          "HttpClient + json",
          client.get(url, { headers }).pipe(Effect.flatMap((response) => response.json), Effect.as(1))
        ),
        running(
          "Engine.raw",
          Effect.map(ask(input, request), ({ answer }) => whole(answer.bytes.byteLength))
        )
      ]
    }
  })

export const raw: Benchmark = {
  name: "raw",
  races: Effect.all([
    race("a price", price, tokenPrice),
    race("a page", transfers("strings", "next"), walletTransfers)
  ])
}
