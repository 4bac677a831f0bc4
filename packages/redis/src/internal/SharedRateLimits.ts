/** Budgets and accounts as scripts on the server. */
import type { Consumption, Permit, RateLimitBackend, RemainingQuota } from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Redis from "../Redis.ts"
import * as AccountScripts from "./QuotaScripts.ts"
import * as BudgetScripts from "./RateLimitScripts.ts"

/** Reads replies of one kind. */
const replyDecoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema)
  return (reply: unknown): Effect.Effect<A, StoreError> =>
    Effect.mapError(decode(reply), () => new StoreError({ reason: "an answer that is none" }))
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

/** Budgets and accounts over the clock that the scripts read. */
export const makeWithClock = (
  now: string
): Effect.Effect<
  RateLimitBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  never,
  Redis.Redis
> =>
  Effect.map(Redis.Redis, (redis) => {
    const scripts = BudgetScripts.make(now)
    const accounts = AccountScripts.make(now)
    // The number is the version of what a key holds.
    const key = (id: string) => `${redis.keyPrefix}budget:1:${id}`
    const accountKey = (id: string) => `${redis.keyPrefix}spent:1:${id}`
    return {
      acquire: (id, { burst, maxCost, limit, window }, cost, lease) =>
        Effect.flatMap(
          redis.run(scripts.acquire, key(id), [limit, window, burst, cost, lease, maxCost ?? 0].map(String)),
          permit
        ),
      startCooldown: (id, millis) =>
        Effect.asVoid(redis.run(scripts.startCooldown, key(id), [millis === null ? "" : String(millis)])),
      settleProbe: (id, succeeded) =>
        Effect.asVoid(redis.run(scripts.settleProbe, key(id), [succeeded ? "passed" : ""])),
      consume: (id, { limit, period }, cost) =>
        Effect.flatMap(
          redis.run(accounts.consume, accountKey(id), [limit, period, cost].map(String)),
          consumption
        ),
      peek: (id, { limit, period }) =>
        Effect.flatMap(
          redis.run(accounts.peek, accountKey(id), [limit, period].map(String)),
          remainingQuota
        ),
      ping: redis.ping
    }
  })
