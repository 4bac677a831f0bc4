/**
 * Verifies JWTs of an issuer. A verified one is remembered for five minutes, so that requests in between cost a lookup. Keys of the
 * issuer are read in the background, so that only a token with an unknown key waits for them.
 *
 * All tokens that are not accepted get the same response, unless only their time is wrong: it says nothing about which check failed.
 * Neither does the time that it takes, as no check compares a secret: signatures are verified with public keys.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { LRUCache } from "lru-cache"
import { readFile } from "node:fs/promises"
import type { Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as Tokens from "./Tokens.ts"

/** The value of the claim that names the client, or why the token is not accepted. */
export type Identity = Either.Either<string, ProxyError.ProxyError>

type Identify = (headers: Readonly<Record<string, string | undefined>>) => Effect.Effect<Identity | null>

/** Returns the identity of a request; null if it has no JWT. Is null itself if JWTs are not configured. */
export class Jwt extends Context.Tag("quarry-proxy/Jwt")<Jwt, Identify | null>() {}

const noIdentity = Effect.succeed(null)

const isJwt = (token: string): boolean => token.length <= 8192 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

const maxVerified = 10_000
const memoryMillis = 5 * 60_000
const reloadInterval = Duration.minutes(10)
/** Between two reads of the keys that tokens with an unknown key cause. */
const minReadMillis = 60_000
const readTimeout = 5000
const maxJwksBytes = 1024 * 1024

/** Reads the key set of a URL, which must not redirect, or of a file. */
const readJwks = async (source: string): Promise<string> => {
  if (!/^https?:/.test(source)) return readFile(source, "utf8")
  const response = await fetch(source, { redirect: "error", signal: AbortSignal.timeout(readTimeout) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > maxJwksBytes) throw new Error("more than 1 MiB")
  }
  return Buffer.concat(chunks).toString()
}

const make = (config: NonNullable<Config["jwt"]>) =>
  Effect.gen(function*() {
    const { algorithms, audience, claim, clockSkew, issuer, jwks } = config
    const [{ jwtVerify }, { createLocalJWKSet }, { JWKSNoMatchingKey, JWTExpired }] = yield* Effect.promise(
      () => Promise.all([import("jose/jwt/verify"), import("jose/jwks/local"), import("jose/errors")])
    )
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const verified = new LRUCache<
      string,
      { readonly identity: Effect.Effect<Identity>; readonly until: number }
    >({
      max: maxVerified
    })
    let keys: ReturnType<typeof createLocalJWKSet> | null = null
    let readAt = Number.NEGATIVE_INFINITY
    let failed = false
    const oneAtATime = yield* Effect.makeSemaphore(1)
    /** Reads the keys, unless they have just been read. Keeps the known ones if that fails. */
    const read = (minAge: number) =>
      oneAtATime.withPermits(1)(Effect.suspend(() => {
        // The clock may have been set back.
        if (Math.abs(now() - readAt) < minAge) return Effect.void
        readAt = now()
        return Effect.tryPromise({
          try: async () => createLocalJWKSet(JSON.parse(await readJwks(jwks))),
          catch: (error) => error instanceof Error ? error.message : String(error)
        }).pipe(Effect.matchEffect({
          onSuccess: (read) => {
            keys = read
            const message = failed ? Effect.logInfo("the keys of jwt.jwks are read again") : Effect.void
            failed = false
            return message
          },
          onFailure: (reason) => {
            const message = failed ? Effect.void : Effect.logWarning(
              `the keys of jwt.jwks cannot be read; ${
                keys === null ? "JWTs are rejected with 503" : "the known ones stay in use"
              }: ${reason}`
            )
            failed = true
            return message
          }
        }))
      }))
    yield* Effect.forkScoped(Effect.repeat(read(0), Schedule.spaced(reloadInterval)))

    const verifyWith = (
      token: string,
      known: NonNullable<typeof keys>
    ): Effect.Effect<Identity | "unknown key"> =>
      Effect.tryPromise({
        try: () =>
          jwtVerify(token, known, {
            algorithms: [...algorithms],
            issuer,
            audience,
            requiredClaims: ["exp"],
            clockTolerance: Duration.toSeconds(clockSkew),
            currentDate: new Date(now())
          }),
        catch: (error) => error
      }).pipe(Effect.match({
        onSuccess: ({ payload }) => {
          const value = payload[claim]
          const identity = typeof value === "string" ? Either.right(value) : Either.left(clientUnknown)
          const { exp = 0 } = payload
          const until = Math.min(now() + memoryMillis, exp * 1000 + Duration.toMillis(clockSkew))
          verified.set(token, { identity: Effect.succeed(identity), until })
          return identity
        },
        onFailure: (error) =>
          error instanceof JWKSNoMatchingKey
            ? "unknown key" as const
            : error instanceof JWTExpired ||
                Predicate.hasProperty(error, "claim") && error.claim === "nbf"
            ? Either.left(Tokens.expired)
            : Either.left(Tokens.unknown)
      }))

    const verify = (token: string): Effect.Effect<Identity> =>
      Effect.gen(function*() {
        // The first read may be under way.
        if (keys === null) yield* read(minReadMillis)
        if (keys === null) return Either.left(keysUnavailable)
        const first = yield* verifyWith(token, keys)
        if (first !== "unknown key") return first
        yield* read(minReadMillis)
        const second = yield* verifyWith(token, keys)
        return second === "unknown key" ? Either.left(Tokens.unknown) : second
      })

    const identify: Identify = (headers) => {
      const token = Tokens.fromHeaders(headers).find(isJwt)
      if (token === undefined) return noIdentity
      const known = verified.get(token)
      return known !== undefined && now() < known.until ? known.identity : verify(token)
    }
    return identify
  })

/** The library is loaded only if JWTs are configured. */
export const layer = ({ jwt }: Pick<Config, "jwt">): Layer.Layer<Jwt> =>
  Layer.scoped(Jwt, jwt === undefined ? Effect.succeed(null) : make(jwt))

export const clientUnknown = ProxyError.make(
  "client-unknown",
  "the token is valid, and no client of this proxy has its subject"
)

const keysUnavailable = ProxyError.make(
  "jwks-unavailable",
  "the keys of the issuer of tokens are not available; retry later",
  { "retry-after": "10" }
)
