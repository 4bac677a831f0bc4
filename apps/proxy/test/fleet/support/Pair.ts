/** Two proxies over one Redis, and who asks them. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as RedisServer from "../../../../../packages/redis/test/support/RedisServer.ts"
import * as Folder from "./Folder.ts"
import * as Load from "./Load.ts"
import * as Program from "./Program.ts"
import * as Raw from "./Raw.ts"
import * as Settings from "./Settings.ts"
import type { Never } from "./Until.ts"
import * as Upstream from "./Upstream.ts"

/** Units that a price costs. */
export const cost = 3

export const second = 1000

export const free: Settings.Client = { name: "free", token: "token-of-free" }

export const fast: Settings.Client = { name: "fast", token: "token-of-fast", limit: "60/s" }

export const daily: Settings.Client = { name: "daily", token: "token-of-daily", perDay: 301 }

export type Pair = readonly [Program.Process, Program.Process]

interface Stand {
  readonly redis: RedisServer.RedisServer
  readonly upstream: Upstream.Upstream
  readonly proxies: Pair
}

export const start = (
  program: string,
  limit: string
): Effect.Effect<Stand, RedisServer.Unavailable | Program.NotUp | Never, Scope.Scope> =>
  Effect.gen(function*() {
    const redis = yield* RedisServer.make()
    const upstream = yield* Upstream.make
    const folder = yield* Folder.make
    yield* folder.write("key", "secret-of-the-service")
    const file = yield* folder.write(
      "proxy.yaml",
      Settings.document({
        url: upstream.url,
        keys: [{ name: "main", file: "./key", limit }],
        clients: [free, fast, daily],
        other: { redis: { url: redis.url, processes: 2 }, budgets: { maxWait: "0s" } }
      })
    )
    const proxy = Program.start(program, ["--config", file])
    const proxies: Pair = yield* Effect.all([proxy, proxy], { concurrency: 2 })
    return { redis, upstream, proxies }
  })

/** Redis was not there for a moment, although it was. */
class Disturbed extends Data.TaggedError("Disturbed")<{}> {}

/**
 * Does something with two proxies. On a busy machine Redis may be missed for a moment, and then each counts for itself:
 * what was seen then shows nothing, and is looked at again with two new ones.
 */
export const undisturbed = <A, E>(
  program: string,
  limit: string,
  test: (stand: Stand) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const stand = yield* start(program, limit)
    const exit = yield* Effect.exit(test(stand))
    for (const { ended, log, signal } of stand.proxies) {
      yield* signal("SIGINT")
      yield* ended
      if (log().some(({ message }) => String(message).includes("store is away"))) {
        return yield* new Disturbed()
      }
    }
    return yield* exit
  })).pipe(Effect.retry({ times: 3, while: (error) => error instanceof Disturbed }))

export const ask = ({ port }: Program.Process, path: string, { token = "" }: Settings.Client) =>
  Effect.map(
    Raw.ask(port, path, { "x-api-key": token }),
    ({ body, headers, status }) => ({ status, body, cache: headers["cache-status"] ?? "" })
  )

/** A load on each of both, of one client. */
export const loads = (
  proxies: Pair,
  { token = "" }: Settings.Client,
  number: number,
  clients: Load.Options["clients"]
): Effect.Effect<readonly [Load.Load, Load.Load], never, Scope.Scope> => {
  const on = ({ port }: Program.Process, part: number) =>
    Load.start({ port, clients, number: number + part, headers: () => ({ "x-api-key": token }) })
  return Effect.all([on(proxies[0], 0), on(proxies[1], 1)])
}

/**
 * The most units that were taken in a window: by those who asked after its begin and had their answer before its end,
 * so that nobody counts who was let through before or after it.
 */
export const most = (made: ReadonlyArray<Load.Made>, window: number): number => {
  const taken = made.filter(({ status }) => status === 200)
  return cost * taken.reduce(
    (most, { at: from }) =>
      Math.max(most, taken.filter(({ at, millis }) => at >= from && at + millis <= from + window).length),
    0
  )
}

/** What the proxy says to a client that asks too fast. */
export const over = "over-budget"
