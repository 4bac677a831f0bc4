/** Checks a service and its API key with one cheap request. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
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
  /** Whether the service accepts the key; null if the check does not show it. */
  readonly isAccepted: boolean | null
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
    const [duration, error] = yield* Effect.timed(
      raw(walletChains, upstream)(input, encodeRequest(walletChains, input)).pipe(
        Effect.map(({ classification }) => classification()),
        Effect.map((result) => result._tag === "Complete" ? null : result.error),
        Effect.catchAll(Effect.succeed)
      )
    )
    return { error, isAccepted: isKeyAccepted(error), millis: Math.round(Duration.toMillis(duration)) }
  }).pipe(Effect.provide(Layer.fresh(Engine.layer)))

const isKeyAccepted = (error: OperationError | null): boolean | null => {
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
