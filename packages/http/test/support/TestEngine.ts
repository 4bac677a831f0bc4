/** An engine and an upstream over a script, for tests of the engine's own interface. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput, type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import type * as ApiKey from "@blockquarry/http/ApiOptions"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Engine from "../../src/gateway/Engine.ts"
import * as Upstream from "../../src/gateway/Upstream.ts"
import { bodyScan } from "../../src/internal/transport/BodyScan.ts"
import { addressOf } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"
import * as TestClients from "./TestClients.ts"

export interface EngineHarness {
  readonly requests: Array<ScriptedClient.RecordedRequest>
  readonly engine: Engine.EngineService
  readonly upstream: Upstream.Upstream
  readonly dailyQuotas: Effect.Effect<ReadonlyArray<Upstream.DailyQuota>>
  /** Fetches the price of token `number`. */
  readonly send: (
    number: number,
    context?: CallContext.CallContext
  ) => Effect.Effect<Engine.EngineResponse, Engine.RawError>
  /** Sends any operation. */
  readonly sendTo: (
    operation: AnyOperation,
    input: unknown
  ) => Effect.Effect<Engine.EngineResponse, Engine.RawError>
  /** Looks in memory for the price of token `number`. */
  readonly lookUp: (number: number, now: number) => Engine.Lookup
}

const inputOf = (number: number) => Either.getOrThrow(decodeInput(tokenPrice, { address: addressOf(number) }))

/** Returns the request for the price of token `number`. */
export const requestOf = (number: number): EncodedRequest => encodeRequest(tokenPrice, inputOf(number))

export const engineHarness = (
  script: ScriptedClient.Script,
  options?: TestClients.HarnessOptions
): Effect.Effect<EngineHarness> => {
  const { requests, client } = ScriptedClient.make(script)
  return Effect.map(engineOver(client, options), (engine) => ({ ...engine, requests }))
}

export const engineOver = (
  client: HttpClient.HttpClient,
  options: TestClients.HarnessOptions = {}
): Effect.Effect<Omit<EngineHarness, "requests">> =>
  Effect.gen(function*() {
    const store = yield* TestClients.serviceOrDefault(RateLimitStore.RateLimitStore, RateLimitStore.memory)
    const provideStore = Effect.provideService(RateLimitStore.RateLimitStore, store)
    const engine = yield* provideStore(TestClients.engine)
    const upstream = yield* Upstream.make(
      "data",
      { apiKey: Redacted.make(TestClients.key), baseUrl: "https://host.test:8443/path", ...options }
    ).pipe(Effect.provideService(HttpClient.HttpClient, client), Effect.orDie)
    const raw = engine.raw(tokenPrice, upstream, bodyScan)
    const lookUp = engine.lookUp(tokenPrice, upstream, bodyScan)
    return {
      engine,
      upstream,
      dailyQuotas: provideStore(Upstream.dailyQuotas(upstream)),
      sendTo: (operation, input) => {
        const decoded: unknown = Either.getOrThrow(decodeInput(operation, input))
        return engine.raw(operation, upstream, bodyScan)(decoded, encodeRequest(operation, decoded))
      },
      send: (number, context) => raw(inputOf(number), requestOf(number), context),
      lookUp: (number, now) => lookUp(inputOf(number), requestOf(number), CallContext.make(), now)
    }
  })

/** Returns API keys with labels. */
export const keysOf = (...labels: ReadonlyArray<string>): ReadonlyArray<ApiKey.ApiKey> =>
  labels.map((label) => ({ label, key: Redacted.make(secretOf(label)) }))

/** Returns the API key with a label. It occurs in no other text. */
export const secretOf = (label: string): string => `CANARY-of-${label}-7f3a9c51e2`

/** Returns the label of a request's API key. */
export const labelOf = ({ headers }: ScriptedClient.RecordedRequest): string =>
  /^CANARY-of-(.*)-7f3a9c51e2$/.exec(headers["x-api-key"] ?? "")?.[1] ?? "?"
