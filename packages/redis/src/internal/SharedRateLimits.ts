/** Rate limits and quotas as scripts that run on the Redis server. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import type { Quota, QuotaAccount, RemoteRateLimitBackend } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Redis from "../Redis.ts"
import * as QuotaScripts from "./QuotaScripts.ts"
import * as RateLimitScripts from "./RateLimitScripts.ts"
import * as Script from "./Script.ts"

/** The reply of each script about a rate limit: the outcome, the remaining units, and a time in milliseconds. */
const Reply = Schema.Tuple(
  Schema.Literal("granted", "trial", "rate_limit", "cooldown"),
  Schema.NumberFromString,
  Schema.NumberFromString
)

/** See `QuotaScripts`. */
const QuotaReply = Schema.Array(Schema.NumberFromString)

/** A process counts for this long after its last heartbeat. */
const heartbeatTtlMillis = 15_000

/** Counts the running processes: a sorted set of process ids by the time of their last heartbeat, by the server's clock. */
const heartbeatScript = (now: string): Script.Script =>
  Script.make(`
local now = ${now}
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${heartbeatTtlMillis}))
-- Heartbeats in the future were recorded before the clock was set back. Their processes send another one soon.
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
redis.call('PEXPIRE', KEYS[1], ${heartbeatTtlMillis})
return redis.call('ZCARD', KEYS[1])
`)

/** Rounds down, because the clocks of processes count whole milliseconds: the units are not older than this. */
const minAge = (age: number): number => Math.max(0, age - 1)

/** A period as `QuotaScripts` reads it. */
const periodOf = ({ period }: Quota): number | string =>
  typeof period === "number" ? period : `month:${period.firstDay}`

type Scripts = Readonly<
  Record<
    "heartbeat" | "acquire" | "release" | "startCooldown" | "settleTrial" | "consume" | "refund" | "peek",
    Script.Script
  >
>

/** Creates the scripts. `now` is a Lua expression for the current time in milliseconds. */
export const scriptsOf = (now: string): Scripts => ({
  heartbeat: heartbeatScript(now),
  ...RateLimitScripts.make(now),
  ...QuotaScripts.make(now)
})

/** Creates rate limits and quotas. */
export const makeWithScripts = (
  scripts: Scripts
): Effect.Effect<RemoteRateLimitBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const processId = randomUUID()
    // The number is the version of the hash fields.
    const onRateLimit = (script: Script.Script, id: string, ...args: ReadonlyArray<number | string>) =>
      redis.run(script, `${redis.keyPrefix}rate-limit:1:${id}`, args.map(String))
    const onQuotas = (
      script: Script.Script,
      accounts: ReadonlyArray<QuotaAccount>,
      cost: number,
      age: number
    ) =>
      Effect.map(
        Script.decode(
          QuotaReply,
          redis.run(script, accounts.map(({ id }) => `${redis.keyPrefix}quota:1:${id}`), [
            String(cost),
            String(age),
            ...accounts.flatMap(({ quota, soft }) => [
              String(quota.limit),
              String(periodOf(quota)),
              soft === true ? "soft" : ""
            ])
          ])
        ),
        ([exceeded = 0, ...values]) => ({
          exceeded: exceeded - 1,
          quotas: accounts.map((_, index) => ({
            remaining: values[2 * index] ?? 0,
            millis: values[2 * index + 1] ?? 0
          }))
        })
      )
    const remainingOf = (reply: Effect.Effect<unknown, StoreError>) =>
      Effect.map(Script.decode(Reply, reply), ([, remaining]) => remaining)
    return {
      acquire: (id, { burst, maxCost = 0, limit, window }, cost, lease) =>
        Effect.map(
          Script.decode(Reply, onRateLimit(scripts.acquire, id, limit, window, burst, cost, lease, maxCost)),
          ([outcome, remaining, millis]) =>
            outcome === "granted" || outcome === "trial"
              ? { _tag: "Granted", trial: outcome === "trial", remaining }
              : {
                _tag: "Delayed",
                millis,
                reason: outcome === "cooldown" ? outcome : "rate_limit",
                remaining
              }
        ),
      release: (id, { burst, limit, window }, cost, age) =>
        remainingOf(onRateLimit(scripts.release, id, limit, window, burst, cost, minAge(age))),
      startCooldown: (id, millis) => Effect.asVoid(onRateLimit(scripts.startCooldown, id, millis ?? "")),
      settleTrial: (id, succeeded) =>
        Effect.asVoid(onRateLimit(scripts.settleTrial, id, succeeded ? "succeeded" : "")),
      consume: (accounts, cost) =>
        Effect.map(onQuotas(scripts.consume, accounts, cost, 0), ({ exceeded, quotas }) => {
          const remaining = quotas.map(({ remaining }) => remaining)
          return exceeded === -1
            ? { _tag: "Consumed", remaining }
            : { _tag: "QuotaExceeded", remaining, exceeded, millis: quotas[exceeded]?.millis ?? 0 }
        }),
      refund: (accounts, cost, age) =>
        Effect.map(
          onQuotas(scripts.refund, accounts, cost, minAge(age)),
          ({ quotas }) => quotas.map(({ remaining }) => remaining)
        ),
      peek: (accounts) => Effect.map(onQuotas(scripts.peek, accounts, 0, 0), ({ quotas }) => quotas),
      heartbeat: Effect.zipRight(
        redis.ping,
        Script.decode(
          Schema.NonNegativeInt,
          redis.run(scripts.heartbeat, `${redis.keyPrefix}processes:1`, [processId])
        )
      )
    }
  })
