/** Budgets and accounts as scripts on the server. */
import type { Budgets, Remaining, Spent, Turn } from "@blockquarry/http/RateLimitStore"
import { StoreFault } from "@blockquarry/http/StoreFault"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Redis from "../Redis.ts"
import * as AccountScripts from "./accountScripts.ts"
import * as BudgetScripts from "./budgetScripts.ts"

/** Reads replies of one kind. */
const replies = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema)
  return (reply: unknown): Effect.Effect<A, StoreFault> =>
    Effect.mapError(decode(reply), () => new StoreFault({ problem: "an answer that is none" }))
}

const turns = replies(Schema.Union(
  Schema.Tuple(Schema.Literal("Go"), Schema.Literal("probe", ""), Schema.NumberFromString),
  Schema.Tuple(
    Schema.Literal("Wait"),
    Schema.NumberFromString,
    Schema.Literal("rate", "pause"),
    Schema.NumberFromString
  )
))

const turn = (reply: unknown): Effect.Effect<Turn, StoreFault> =>
  Effect.map(turns(reply), (read): Turn =>
    read[0] === "Go"
      ? { _tag: "Go", probe: read[1] === "probe", left: read[2] }
      : { _tag: "Wait", millis: read[1], reason: read[2], left: read[3] })

const spendings = replies(
  Schema.Tuple(Schema.Literal("Spent", "UsedUp"), Schema.NumberFromString, Schema.NumberFromString)
)

const spent = (reply: unknown): Effect.Effect<Spent, StoreFault> =>
  Effect.map(
    spendings(reply),
    ([_tag, left, millis]): Spent => _tag === "Spent" ? { _tag, left } : { _tag, left, millis }
  )

const looks = replies(Schema.Tuple(Schema.NumberFromString, Schema.NumberFromString))

const remaining = (reply: unknown): Effect.Effect<Remaining, StoreFault> =>
  Effect.map(looks(reply), ([left, millis]) => ({ left, millis }))

/** Budgets and accounts over the clock that the scripts read. */
export const overClock = (
  now: string
): Effect.Effect<
  Budgets<StoreFault> & { readonly ping: Effect.Effect<void, StoreFault> },
  never,
  Redis.Redis
> =>
  Effect.map(Redis.Redis, (redis) => {
    const scripts = BudgetScripts.make(now)
    const accounts = AccountScripts.make(now)
    // The number is the version of what a key holds.
    const key = (budget: string) => `${redis.prefix}budget:1:${budget}`
    const accountKey = (account: string) => `${redis.prefix}spent:1:${account}`
    return {
      take: (budget, { burst, dearest, limit, window }, cost, lease) =>
        Effect.flatMap(
          redis.run(scripts.take, key(budget), [limit, window, burst, cost, lease, dearest ?? 0].map(String)),
          turn
        ),
      pause: (budget, millis) =>
        Effect.asVoid(redis.run(scripts.pause, key(budget), [millis === null ? "" : String(millis)])),
      settle: (budget, passed) =>
        Effect.asVoid(redis.run(scripts.settle, key(budget), [passed ? "passed" : ""])),
      spend: (account, { limit, period }, cost) =>
        Effect.flatMap(
          redis.run(accounts.spend, accountKey(account), [limit, period, cost].map(String)),
          spent
        ),
      look: (account, { limit, period }) =>
        Effect.flatMap(
          redis.run(accounts.look, accountKey(account), [limit, period].map(String)),
          remaining
        ),
      ping: redis.ping
    }
  })
