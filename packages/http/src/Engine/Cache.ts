/** The cache stage: a question that was answered lately is not asked, see `ResponseCache.ts`. */
import { TimedOut } from "@blockquarry/core/QueryError"
import { formatQuery } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { repeatsKey } from "../Answer.ts"
import type { CacheStoreService, Entry } from "../CacheStore.ts"
import type { CacheMode } from "../ResponseCache.ts"
import type { Served } from "../Served.ts"
import { judge } from "../Verdict.ts"
import type { Call, Judged, Missed } from "./Call.ts"
import * as Flights from "./Flights.ts"
import type { CacheResult, Meter } from "./Meter.ts"

export interface Cache {
  /**
   * Answers a call from what is kept, or by `ask`. `lifetime` says how many milliseconds an answer stays fresh, null
   * where it must not be kept.
   */
  readonly around: (
    call: Call,
    mode: CacheMode,
    ask: Effect.Effect<Judged, Missed>,
    lifetime: (judged: Judged) => number | null
  ) => Effect.Effect<Served, Missed>
}

export const make = (store: CacheStoreService, meter: Meter, scope: Scope.Scope): Cache => {
  const flights = Flights.make<Judged, Missed>(scope)

  const around: Cache["around"] = (call, mode, ask, lifetime) => {
    const { cache } = call.policies
    if (!cache.enabled || mode === "no-store" || call.request.method !== "GET") return Effect.map(ask, asked)
    const key = keyOf(call)
    const count = (result: CacheResult) => meter.cache(call.operation, result)
    const name = flightOf(call, key)
    const flight: Flights.Flight<Judged, Missed> = {
      ask,
      until: call.deadline,
      isLate: ({ error }) => error._tag === "TimedOut" && error.limit === "total",
      late: () => late(call),
      afterwards: (judged) => keep(call, key, judged, lifetime(judged)),
      onJoin: (shared) => count(shared ? "shared" : "miss")
    }
    if (mode === "reload") return Effect.map(flights.restart(name, flight), asked)
    const fetched = flights.join(name, flight)
    return Effect.flatMap(store.get(key), (entry) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (entry === null || now >= entry.keepUntil) return Effect.map(fetched, asked)
        if (now < entry.freshUntil) return Effect.as(count("hit"), kept(call, entry, "cache"))
        const stale = kept(call, entry, "stale")
        if (now < entry.freshUntil + Duration.toMillis(cache.staleWhileRevalidate)) {
          // Nobody waits for the fresh one here, and nobody minds if it fails.
          const renewed = flights.has(name)
            ? Effect.void
            : Effect.forkIn(
              Effect.ignore(flights.join(name, { ...flight, onJoin: () => Effect.void })),
              scope
            )
          return renewed.pipe(Effect.zipRight(count("stale")), Effect.as(stale))
        }
        const worthUntil = entry.freshUntil + Duration.toMillis(cache.staleIfError)
        return now >= worthUntil
          ? Effect.map(fetched, asked)
          : rescued(fetched, stale, worthUntil, count("rescued"))
      }))
  }

  const keep = (
    call: Call,
    key: string,
    { answer }: Judged,
    lifetime: number | null
  ): Effect.Effect<void> => {
    // An answer that repeats the key is nobody else's business.
    if (lifetime === null || lifetime <= 0 || repeatsKey(answer, call.address.apiKey)) return Effect.void
    const { staleIfError, staleWhileRevalidate } = call.policies.cache
    const useful = answer.status === 200
      ? Math.max(Duration.toMillis(staleWhileRevalidate), Duration.toMillis(staleIfError))
      : 0
    return Effect.flatMap(Clock.currentTimeMillis, (storedAt) => {
      const freshUntil = storedAt + lifetime
      return store.set(key, { answer, storedAt, freshUntil, keepUntil: freshUntil + useful })
    })
  }

  return { around }
}

/** What was asked, and where: everything but the key. */
const keyOf = ({ address, request }: Call): string =>
  `${address.url}${request.path}?${formatQuery(request.query)}`

/**
 * Flights are not shared by keys, as kept answers are: what one key is refused, another may get. Nor are they by
 * regions that repeat more or less often.
 */
const flightOf = ({ address, policies: { retry } }: Call, key: string): string =>
  `${address.name} ${retry.attempts} ${retry.budget.capacity} ${key}`

const late = (call: Call): Missed => ({
  error: new TimedOut({
    operation: call.operation.id,
    request: call.copy,
    limit: "total",
    after: Duration.decode(call.policies.timeouts.total),
    mayHaveTakenEffect: false
  }),
  again: null,
  health: "silent"
})

/** What the service has to say, or the stale answer where it fails and that is still worth something. */
const rescued = (
  fetched: Effect.Effect<Judged, Missed>,
  stale: Served,
  worthUntil: number,
  count: Effect.Effect<void>
): Effect.Effect<Served, Missed> => {
  const rescue = (otherwise: Effect.Effect<Served, Missed>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => now < worthUntil ? Effect.as(count, stale) : otherwise)
  return Effect.matchEffect(fetched, {
    onFailure: (missed) => rescue(Effect.fail(missed)),
    onSuccess: (judged) =>
      judged.health === "fails" || judged.health === "throttled"
        ? rescue(Effect.succeed(asked(judged)))
        : Effect.succeed(asked(judged))
  })
}

const asked = ({ answer, verdict }: Judged): Served => ({
  answer,
  verdict: () => verdict,
  source: "service",
  storedAt: null
})

const kept = ({ address, copy, operation }: Call, entry: Entry, source: "cache" | "stale"): Served => ({
  answer: entry.answer,
  // Only a wait that the service asks for depends on the time, and such answers are not kept.
  verdict: () => judge(operation, copy, entry.answer, entry.storedAt, address.apiKey),
  source,
  storedAt: entry.storedAt
})
