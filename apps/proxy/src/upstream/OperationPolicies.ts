/** Policies of single operations and rules, over those of all. Keys, limits and circuit breakers stay shared. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import { MaxAge, NoStore, type Ttl } from "@blockquarry/core/Ttl"
import type * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Rec from "effect/Record"
import type { Policy } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

/** What a policy changes in the description of an operation. */
export const membersOf = (
  { cache: { negativeTtl, ttl } }: Policy
): { readonly ttl?: () => Ttl; readonly cacheNotFound?: boolean } => ({
  ...(ttl === undefined ? {} : { ttl: () => ttl === null ? NoStore() : MaxAge({ duration: ttl }) }),
  ...(negativeTtl === undefined ? {} : { cacheNotFound: negativeTtl !== null })
})

/** Returns the upstream with the policies of an operation. */
export const upstreamWith = (
  upstream: Upstream.Upstream,
  { cache: { negativeTtl, respectMaxAge, staleIfError, staleWhileRevalidate }, retry, timeouts }: Policy
): Upstream.Upstream => {
  const { policies } = upstream
  const stale = Rec.filter({ staleIfError, staleWhileRevalidate }, (duration) => duration !== undefined)
  return {
    ...upstream,
    policies: {
      ...policies,
      cache: {
        ...policies.cache,
        ...stale,
        respectMaxAge,
        negative: { notFound: negativeTtl ?? policies.cache.negative.notFound }
      },
      timeouts: { ...policies.timeouts, ...timeouts },
      retry: { ...policies.retry, ...retry }
    }
  }
}

/** Returns the request that is sent, without ignored parameters. */
export const requestWith = (
  { cache: { ignoreQuery } }: Policy
): (request: EncodedRequest) => EncodedRequest => {
  if (ignoreQuery.length === 0) return identity
  const ignored = new Set(ignoreQuery)
  return (request) => ({ ...request, query: request.query.filter(([name]) => !ignored.has(name)) })
}

type Limit = <A>(effect: Effect.Effect<A, ProxyError.ProxyError>) => Effect.Effect<A, ProxyError.ProxyError>

/** Returns the limit of concurrent requests. It rejects those above it, because a wait would hold what clients share. */
export const limitOf = ({ maxConcurrent, name }: Policy): Limit => {
  if (maxConcurrent === undefined) return identity
  const semaphore = Effect.unsafeMakeSemaphore(maxConcurrent)
  return (effect) =>
    Effect.flatMap(
      semaphore.withPermitsIfAvailable(1)(effect),
      Option.match({ onNone: () => Effect.fail(tooMany(name)), onSome: Effect.succeed })
    )
}

const tooMany = (name: string): ProxyError.ProxyError =>
  ProxyError.make("overloaded", `too many requests of ${name} are in flight (policies.maxConcurrent)`, {
    "retry-after": "1"
  })

/** The policy of an operation or rule. Undefined if it has none. */
export const find = (policies: ReadonlyArray<Policy>, { id }: Pick<AnyOperation, "id">): Policy | undefined =>
  policies.find(({ name }) => name === id)
