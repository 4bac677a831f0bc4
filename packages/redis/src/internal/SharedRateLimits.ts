/** Rate limits and quotas as scripts that run on the Redis server. */
import type {
  Consumption,
  Permit,
  RemainingQuota,
  RemoteRateLimitBackend
} from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Redis from "../Redis.ts"
import * as HeartbeatScript from "./HeartbeatScript.ts"
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

const decodeCount = replyDecoder(Schema.NonNegativeInt)

const decodeUnits = replyDecoder(Schema.NumberFromString)

/** Rounds down, because the clocks of processes count whole milliseconds: the units are not older than this. */
const minAge = (age: number): number => Math.max(0, age - 1)

/** Creates rate limits and quotas. `now` is a Lua expression for the current time in milliseconds. */
export const makeWithClock = (
  now: string
): Effect.Effect<RemoteRateLimitBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const processId = randomUUID()
    const heartbeatScript = HeartbeatScript.make(now)
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
      release: (id, { burst, limit, window }, cost, age) =>
        Effect.flatMap(
          redis.run(
            rateLimitScripts.release,
            rateLimitKey(id),
            [limit, window, burst, cost, minAge(age)].map(String)
          ),
          decodeUnits
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
      refund: (id, { limit, period }, cost, age) =>
        Effect.flatMap(
          redis.run(
            quotaScripts.refund,
            quotaKey(id),
            [limit, period, cost, minAge(age)].map(String)
          ),
          decodeUnits
        ),
      peek: (id, { limit, period }) =>
        Effect.flatMap(
          redis.run(quotaScripts.peek, quotaKey(id), [limit, period].map(String)),
          remainingQuota
        ),
      heartbeat: redis.ping.pipe(
        Effect.zipRight(redis.run(heartbeatScript, `${redis.keyPrefix}processes:1`, [processId])),
        Effect.flatMap(decodeCount)
      )
    }
  })
