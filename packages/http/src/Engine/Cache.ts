/** The cache stage: a question that was answered lately is not asked, see `ResponseCache.ts`. */
import { type QueryError, TimedOut } from "@blockquarry/core/QueryError"
import { formatQuery } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CacheStoreService, Entry } from "../CacheStore.ts"
import type { CacheMode } from "../ResponseCache.ts"
import type { Served } from "../Served.ts"
import { judge, type Verdict } from "../Verdict.ts"
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
    // What one key is refused, another may get: flights are not shared by keys, as answers are.
    const flight = `${call.address.name} ${key}`
    const fetch = flights.join(flight, {
      ask,
      until: call.deadline,
      afterwards: (judged) => keep(call, key, judged, lifetime(judged))
    })
    const count = (result: CacheResult) => meter.cache(call.operation, result)
    const fetched = Effect.suspend(() => {
      const until = flights.until(flight)
      return Effect.zipRight(
        count(until === null ? "miss" : "shared"),
        // Somebody else's flight may have more time than this call.
        Effect.map(until !== null && call.deadline < until ? inTime(call, fetch) : fetch, asked)
      )
    })
    if (mode === "reload") return fetched
    return Effect.flatMap(store.get(key), (entry) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (entry === null || now >= entry.keepUntil) return fetched
        if (now < entry.freshUntil) return Effect.as(count("hit"), kept(call, entry, "cache"))
        const stale = kept(call, entry, "stale")
        if (now < entry.freshUntil + Duration.toMillis(cache.staleWhileRevalidate)) {
          // Nobody waits for the fresh one here, and nobody minds if it fails.
          return Effect.forkIn(Effect.ignore(fetch), scope).pipe(
            Effect.zipRight(count("stale")),
            Effect.as(stale)
          )
        }
        const rescued = Effect.as(count("rescued"), stale)
        return Effect.matchEffect(fetched, {
          onFailure: (missed) => passes(missed.error) ? rescued : Effect.fail(missed),
          onSuccess: (served) => failed(served.verdict()) ? rescued : Effect.succeed(served)
        })
      }))
  }

  const keep = (
    call: Call,
    key: string,
    { answer }: Judged,
    lifetime: number | null
  ): Effect.Effect<void> => {
    if (lifetime === null || lifetime <= 0) return Effect.void
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

const inTime = (call: Call, flight: Effect.Effect<Judged, Missed>): Effect.Effect<Judged, Missed> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) =>
      Effect.timeoutFail(flight, {
        duration: call.deadline - now,
        onTimeout: (): Missed => ({
          error: new TimedOut({
            operation: call.operation.id,
            request: call.copy,
            limit: "total",
            after: Duration.decode(call.policies.timeouts.total),
            mayHaveTakenEffect: false
          }),
          again: null
        })
      })
  )

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

/** An answer that says that the service fails just now. */
const failed = (verdict: Verdict): boolean =>
  verdict._tag === "Garbled" || (verdict._tag === "Refused" && passes(verdict.error))

/** A failure that has nothing to do with the question. */
const passes = (error: QueryError): boolean => {
  switch (error._tag) {
    case "RateLimited":
    case "ServiceFailed":
    case "TimedOut":
    case "Unreachable":
      return true
    case "ResponseInvalid":
      // Not of the operation's shape is what the service has to say; garbled is what became of it on its way.
      return error.path === ""
    default:
      return false
  }
}
