/** Rate limits and quotas as scripts that run on the Redis server. */
import type { Consumption, Permit, RateLimitBackend, RemainingQuota } from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Redis from "../Redis.ts"
import * as QuotaScripts from "./QuotaScripts.ts"
import * as RateLimitScripts from "./RateLimitScripts.ts"

/** Creates a decoder for the replies of one script. */
const replyDecoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema)
  return (reply: unknown): Effect.Effect<A, StoreError> =>
    Effect.mapError(decode(reply), () => new StoreError({ reason: "unexpected reply" }))
}

const decodePermit = replyDecoder(Schema.Union(
  Schema.Tuple(Schema.Literal("Granted"), Schema.Literal("probe", ""), Schema.NumberFromString),
  Schema.Tuple(
    Schema.Literal("Delayed"),
    Schema.NumberFromString,
    Schema.Literal("rate_limit", "cooldown"),
    Schema.NumberFromString
  )
))

const permit = (reply: unknown): Effect.Effect<Permit, StoreError> =>
  Effect.map(decodePermit(reply), (decoded): Permit =>
    decoded[0] === "Granted"
      ? { _tag: "Granted", probe: decoded[1] === "probe", remaining: decoded[2] }
      : { _tag: "Delayed", millis: decoded[1], reason: decoded[2], remaining: decoded[3] })

const decodeConsumption = replyDecoder(
  Schema.Tuple(Schema.Literal("Consumed", "QuotaExceeded"), Schema.NumberFromString, Schema.NumberFromString)
)

const consumption = (reply: unknown): Effect.Effect<Consumption, StoreError> =>
  Effect.map(
    decodeConsumption(reply),
    ([_tag, remaining, millis]): Consumption =>
      _tag === "Consumed" ? { _tag, remaining } : { _tag, remaining, millis }
  )

const decodeRemaining = replyDecoder(Schema.Tuple(Schema.NumberFromString, Schema.NumberFromString))

const remainingQuota = (reply: unknown): Effect.Effect<RemainingQuota, StoreError> =>
  Effect.map(decodeRemaining(reply), ([remaining, millis]) => ({ remaining, millis }))

/** Creates rate limits and quotas. `now` is a Lua expression for the current time in milliseconds. */
export const makeWithClock = (
  now: string
): Effect.Effect<
  RateLimitBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  never,
  Redis.Redis
> =>
  Effect.map(Redis.Redis, (redis) => {
    const rateLimitScripts = RateLimitScripts.make(now)
    const quotaScripts = QuotaScripts.make(now)
    // The number is the version of the hash fields.
    const rateLimitKey = (id: string) => `${redis.keyPrefix}rate-limit:1:${id}`
    const quotaKey = (id: string) => `${redis.keyPrefix}quota:1:${id}`
    return {
      acquire: (id, { burst, maxCost, limit, window }, cost, lease) =>
        Effect.flatMap(
          redis.run(
            rateLimitScripts.acquire,
            rateLimitKey(id),
            [limit, window, burst, cost, lease, maxCost ?? 0].map(String)
          ),
          permit
        ),
      startCooldown: (id, millis) =>
        Effect.asVoid(
          redis.run(rateLimitScripts.startCooldown, rateLimitKey(id), [millis === null ? "" : String(millis)])
        ),
      settleProbe: (id, succeeded) =>
        Effect.asVoid(
          redis.run(rateLimitScripts.settleProbe, rateLimitKey(id), [succeeded ? "succeeded" : ""])
        ),
      consume: (id, { limit, period }, cost) =>
        Effect.flatMap(
          redis.run(quotaScripts.consume, quotaKey(id), [limit, period, cost].map(String)),
          consumption
        ),
      peek: (id, { limit, period }) =>
        Effect.flatMap(
          redis.run(quotaScripts.peek, quotaKey(id), [limit, period].map(String)),
          remainingQuota
        ),
      ping: redis.ping
    }
  })
