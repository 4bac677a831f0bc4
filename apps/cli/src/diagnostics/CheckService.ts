/** Checks a service and its API key with one cheap request. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { CommandSettings } from "../config/Configuration.ts"
import { userAgent } from "../connection/Connection.ts"
import { HttpTransport } from "../connection/HttpTransport.ts"
import type { UsageError } from "../errors/CommandError.ts"

export interface ServiceCheck {
  readonly error: OperationError | null
  /** The headers of the response that describe it; null without a response. */
  readonly headers: Readonly<Record<string, string>> | null
  readonly millis: number
}

/** Any wallet: one without activity has an empty list of chains, so that only a wrong path is not found. */
const wallet = "0x0000000000000000000000000000000000000001"

const timeout = Duration.seconds(10)

/** Checks an API key at the configured service or, by default its own one, at the sandbox. Null without a base URL. */
export const checkService = (
  { configuration, isSandbox }: CommandSettings,
  key: Redacted.Redacted | null
): Effect.Effect<ServiceCheck | null, UsageError, HttpTransport> =>
  Effect.gen(function*() {
    const { network, sandbox } = yield* HttpTransport
    if (isSandbox) {
      const { apiKey, baseUrls, client } = yield* sandbox
      return yield* Effect.provide(requestChains(baseUrls.data, key ?? Redacted.make(apiKey)), client)
    }
    const baseUrl = configuration.values.get("base-url")?.value
    return baseUrl === undefined || key === null
      ? null
      : yield* Effect.provide(requestChains(baseUrl, key), yield* network("few-requests"))
  })

/** Requests the chains of a wallet, which costs 5 units. */
const requestChains = (baseUrl: string, apiKey: Redacted.Redacted) =>
  Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    const { raw } = yield* Engine.Engine
    const upstream = yield* Effect.orDie(Upstream.make("data", {
      apiKey,
      baseUrl,
      userAgent,
      rateLimit: RateLimit.none,
      retry: RetryPolicy.none,
      timeouts: { attempt: timeout, call: timeout }
    }))
    const input = yield* Effect.orDie(decodeInput(walletChains, { address: wallet, chains: ["eth"] }))
    const answer = yield* Effect.either(
      raw(walletChains, upstream)(input, encodeRequest(walletChains, input))
    )
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    if (answer._tag === "Left") return { error: answer.left, headers: null, millis }
    const { classification, response: { headers } } = answer.right
    const result = classification()
    return { error: result._tag === "Complete" ? null : result.error, headers, millis }
  }).pipe(Effect.provide(Layer.fresh(Engine.layer)))

/** Whether the service accepts the key: null if the check does not show it. */
export const isKeyAccepted = ({ error, headers }: ServiceCheck): boolean | null => {
  if (headers === null) return null
  switch (error?._tag) {
    case undefined:
    case "RequestRejectedError":
      return true
    case "AuthenticationError":
      return false
    default:
      return null
  }
}
