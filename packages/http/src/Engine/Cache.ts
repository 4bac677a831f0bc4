/** The cache stage: a question that was answered lately is not asked, see `ResponseCache.ts`. */
import { TimedOut } from "@blockquarry/core/QueryError"
import { formatQuery, type WireRequest } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { repeatsAny } from "../Answer.ts"
import type { CacheStoreService, Entry } from "../CacheStore.ts"
import type { CacheMode, ResponseCache } from "../ResponseCache.ts"
import type { Served } from "../Served.ts"
import type { Ring } from "../Target.ts"
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
  /** What is kept about a request and fresh; nothing where that cannot be told at once. */
  readonly look: (
    place: Place,
    cache: ResponseCache,
    request: WireRequest,
    now: number
  ) => Entry | undefined
  /** The same, from a store that must be waited for. */
  readonly find: (
    place: Place,
    cache: ResponseCache,
    request: WireRequest
  ) => Effect.Effect<Entry | null>
  /** Forgets what is kept about a request, or everything: false where the store is away. */
  readonly forget: (place: Place, request: WireRequest) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
}

type Place = Pick<Ring, "url">

export const make = (store: CacheStoreService, meter: Meter, scope: Scope.Scope): Cache => {
  const flights = Flights.make<Judged, Missed>(scope)

  const around: Cache["around"] = (call, mode, ask, lifetime) => {
    const { cache } = call.policies
    if (mode === "no-store" || !isKept(cache, call.request)) return Effect.map(ask, alone)
    const key = keyOf(call.ring, call.request)
    const count = (result: CacheResult) => meter.cache(call.operation, result)
    const name = flightOf(call, key)
    const flight: Flights.Flight<Judged, Missed> = {
      about: key,
      ask,
      until: call.deadline,
      isLate: ({ error }) => error._tag === "TimedOut" && error.limit === "total",
      late: () => late(call),
      afterwards: (judged, overtaken) => keep(call, key, judged, lifetime(judged), overtaken),
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
    lifetime: number | null,
    overtaken: () => boolean
  ): Effect.Effect<void> => {
    // An answer that repeats a key is nobody else's business.
    if (lifetime === null || lifetime <= 0 || repeatsAny(answer, call.ring.neverKept)) return Effect.void
    const { staleIfError, staleWhileRevalidate } = call.policies.cache
    const useful = answer.status === 200
      ? Math.max(Duration.toMillis(staleWhileRevalidate), Duration.toMillis(staleIfError))
      : 0
    return Effect.flatMap(Clock.currentTimeMillis, (storedAt) => {
      const freshUntil = storedAt + lifetime
      return store.set(key, { answer, storedAt, freshUntil, keepUntil: freshUntil + useful }).pipe(
        // Whoever purges while the store is being written to must not find the answer there again.
        Effect.flatMap(() => overtaken() ? store.remove(key) : Effect.void)
      )
    })
  }

  return {
    around,
    look: (place, cache, request, now) => {
      if (store.peek === undefined || !isKept(cache, request)) return undefined
      const entry = store.peek(keyOf(place, request))
      return entry !== undefined && now < entry.freshUntil ? entry : undefined
    },
    find: (place, cache, request) =>
      isKept(cache, request)
        ? Effect.zipWith(
          store.get(keyOf(place, request)),
          Clock.currentTimeMillis,
          (entry, now) => entry !== null && now < entry.freshUntil ? entry : null
        )
        : Effect.succeed(null),
    forget: (place, request) =>
      Effect.suspend(() => {
        const key = keyOf(place, request)
        flights.overtake(key)
        return store.remove(key)
      }),
    clear: Effect.suspend(() => {
      flights.overtake(null)
      return store.clear
    })
  }
}

/** Whether the answer to a request is looked for and kept. */
const isKept = (cache: ResponseCache, { method }: WireRequest): boolean => cache.enabled && method === "GET"

/** What was asked, and where: everything but the key. */
const keyOf = ({ url }: Place, { path, query }: WireRequest): string => `${url}${path}?${formatQuery(query)}`

/**
 * Flights are shared by those who have the same keys, and not by all, as kept answers are: what one key is refused,
 * another may get. Nor are they by regions that repeat more or less often.
 */
const flightOf = ({ policies: { retry }, ring }: Call, key: string): string =>
  `${ring.name} ${retry.attempts} ${retry.budget.capacity} ${key}`

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
  fetched: Effect.Effect<Flights.Landed<Judged>, Missed>,
  stale: Served,
  worthUntil: number,
  count: Effect.Effect<void>
): Effect.Effect<Served, Missed> => {
  const rescue = (otherwise: Effect.Effect<Served, Missed>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => now < worthUntil ? Effect.as(count, stale) : otherwise)
  return Effect.matchEffect(fetched, {
    onFailure: (missed) => rescue(Effect.fail(missed)),
    onSuccess: (landed) =>
      landed.outcome.health === "fails" || landed.outcome.health === "throttled"
        ? rescue(Effect.succeed(asked(landed)))
        : Effect.succeed(asked(landed))
  })
}

const asked = ({ joined, outcome: { answer, verdict } }: Flights.Landed<Judged>): Served => ({
  answer,
  verdict: () => verdict,
  source: "service",
  storedAt: null,
  freshUntil: null,
  collapsed: joined
})

const alone = (outcome: Judged): Served => asked({ outcome, joined: false })

const kept = ({ copy, operation, ring }: Call, entry: Entry, source: "cache" | "stale"): Served => ({
  answer: entry.answer,
  // Only a wait that the service asks for depends on the time, and such answers are not kept. Nor are those that repeat
  // any key, so any of them will do.
  verdict: () => judge(operation, copy, entry.answer, entry.storedAt, ring.addresses[0].apiKey),
  source,
  storedAt: entry.storedAt,
  freshUntil: entry.freshUntil,
  collapsed: false
})
