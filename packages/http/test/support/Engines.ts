/** An engine and a target over a script, for what only the engine's own service shows. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { readInput, type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import type * as ApiKey from "@blockquarry/http/ApiKey"
import type * as Engine from "@blockquarry/http/Engine"
import type { Served } from "@blockquarry/http/Served"
import * as Target from "@blockquarry/http/Target"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Clients from "./Clients.ts"
import { numbered } from "./Numbered.ts"
import * as Scripted from "./Scripted.ts"

export interface Running {
  readonly asked: Array<Scripted.Asked>
  readonly engine: Engine.EngineService
  readonly target: Target.Target
  /** Asks for the price of token `number`. */
  readonly ask: (number: number) => Effect.Effect<Served, Engine.RawError>
}

const inputOf = (number: number) => Either.getOrThrow(readInput(tokenPrice, { address: numbered(number) }))

/** What is sent to ask for the price of token `number`. */
export const requestOf = (number: number): WireRequest => writeRequest(tokenPrice, inputOf(number))

export const running = (
  script: Scripted.Script,
  options: Clients.SceneOptions = {}
): Effect.Effect<Running> =>
  Effect.gen(function*() {
    const { asked, client } = Scripted.make(script)
    const engine = yield* Clients.engine
    const target = yield* Target.make(
      "data",
      { apiKey: Redacted.make(Clients.key), baseUrl: "https://host.test:8443/path", ...options },
      "QUARRY_BASE_URL"
    ).pipe(Effect.provideService(HttpClient.HttpClient, client))
    const raw = engine.raw(tokenPrice, target)
    return { asked, engine, target, ask: (number) => raw(inputOf(number), requestOf(number)) }
  })

/** Keys that are called what they are. */
export const keysOf = (...labels: ReadonlyArray<string>): ReadonlyArray<ApiKey.ApiKey> =>
  labels.map((label) => ({ label, key: Redacted.make(secretOf(label)) }))

/** The key of this label, as no other text contains it. */
export const secretOf = (label: string): string => `CANARY-of-${label}-7f3a9c51e2`

/** The label of the key that a request came with. */
export const labelOf = ({ headers }: Scripted.Asked): string =>
  /^CANARY-of-(.*)-7f3a9c51e2$/.exec(headers["x-api-key"] ?? "")?.[1] ?? "?"
