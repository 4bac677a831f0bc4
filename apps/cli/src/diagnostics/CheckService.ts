/** Checks a service and its API key with one cheap request. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { Engine, Upstream } from "@blockquarry/http/Gateway"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { userAgent } from "../Connection.ts"

/** What one request shows. */
export interface ServiceCheck {
  /** Null if the request succeeded. */
  readonly error: OperationError | null
  /** The headers of the response that describe it; null without a response. */
  readonly headers: Readonly<Record<string, string>> | null
  readonly millis: number
}

/** Wrapped ether. A service that does not know it reports it as not found, and checks the key before. */
const wellKnownToken = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"

const timeout = Duration.seconds(10)

/** Requests the price of a token, which costs 3 units. */
export const checkService = (
  baseUrl: string,
  apiKey: Redacted.Redacted
): Effect.Effect<ServiceCheck, never, HttpClient> =>
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
    const input = yield* Effect.orDie(decodeInput(tokenPrice, { address: wellKnownToken }))
    const answer = yield* Effect.either(
      raw(tokenPrice, upstream)(input, encodeRequest(tokenPrice, input))
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
    case "NotFoundError":
    case "RequestRejectedError":
      return true
    case "AuthenticationError":
      return false
    default:
      return null
  }
}
