/** Budgets as scripts on the server. */
import type { Budgets, Turn } from "@blockquarry/http/RateLimitStore"
import { StoreFault } from "@blockquarry/http/StoreFault"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Redis from "../Redis.ts"
import * as BudgetScripts from "./budgetScripts.ts"

const decode = Schema.decodeUnknown(Schema.Union(
  Schema.Tuple(Schema.Literal("Go"), Schema.Literal("probe", "")),
  Schema.Tuple(Schema.Literal("Wait"), Schema.NumberFromString, Schema.Literal("rate", "pause"))
))

const turn = (reply: unknown): Effect.Effect<Turn, StoreFault> =>
  decode(reply).pipe(
    Effect.map((read): Turn =>
      read[0] === "Go"
        ? { _tag: "Go", probe: read[1] === "probe" }
        : { _tag: "Wait", millis: read[1], reason: read[2] }
    ),
    Effect.mapError(() => new StoreFault({ problem: "an answer that is none" }))
  )

/** Budgets over the clock that the scripts read. */
export const overClock = (
  now: string
): Effect.Effect<
  Budgets<StoreFault> & { readonly ping: Effect.Effect<void, StoreFault> },
  never,
  Redis.Redis
> =>
  Effect.map(Redis.Redis, (redis) => {
    const scripts = BudgetScripts.make(now)
    // The number is the version of what a key holds.
    const key = (budget: string) => `${redis.prefix}budget:1:${budget}`
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
      ping: redis.ping
    }
  })
