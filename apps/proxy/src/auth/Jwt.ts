/**
 * Verifies JWTs of an issuer. A verified one is remembered until it expires or the keys are read again, so that requests in between
 * cost a lookup. Keys are read in the background, so that only a token with an unknown key waits for them.
 *
 * All tokens that are not accepted get the same response, unless only their time is wrong: it says nothing about which check failed.
 * Neither does the time that it takes, as no check compares a secret: signatures are verified with public keys.
 * The access log says it, in words of the library and names of claims, as everything else in a token is secret or of an attacker.
 */
import * as LruMap from "@blockquarry/http/gateway/LruMap"
import * as Completed from "@blockquarry/server/Completed"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type { FetchImplementation, JWKSCacheInput } from "jose/jwks/remote"
import { readFile } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import type { Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as Tokens from "./Tokens.ts"

/** The value of the claim that names the client, or why the token is not accepted. */
type Identity = Either.Either<string, ProxyError.ProxyError>

/** Returns the identities of the JWTs among the tokens of a request; none if JWTs are not configured. */
export type Identify = (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Identity>>

export class Jwt extends Context.Tag("quarry-proxy/Jwt")<Jwt, Identify>() {}

export const none: ReturnType<Identify> = Effect.succeed([])

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

const make = ({ algorithms, audience, claim, clockSkew, issuer, jwks }: NonNullable<Config["jwt"]>) =>
  Effect.gen(function*() {
    const { jwtVerify } = yield* Effect.promise(() => import("jose/jwt/verify"))
    const { createRemoteJWKSet, customFetch, jwksCache } = yield* Effect.promise(() =>
      import("jose/jwks/remote")
    )
    const { fetch } = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
    const { Dispatcher } = yield* Effect.promise(() => import("@effect/platform-node/NodeHttpClient"))
    const dispatcher = yield* Dispatcher
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    let readAt = -Infinity
    const readKeySet: FetchImplementation = async (url, options) => {
      // For 5 s after a read that failed. The clock may have been set back.
      if (!keys.coolingDown && Math.abs(now() - readAt) < 5000) throw failure("the last read failed")
      readAt = now()
      if (url.startsWith("file:")) return new Response(await readFile(new URL(url)))
      const response = await fetch(url, { ...options, headers: [...options.headers], dispatcher })
      if (response.status !== 200) throw failure(`status ${response.status}`)
      let text = ""
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        if (text.length > 1024 * 1024) throw failure("more than 1 MiB")
      }
      return new Response(text)
    }
    /** Has the time of the last read that succeeded. */
    const lastRead = identity<JWKSCacheInput>({})
    const keys = createRemoteJWKSet(jwks.startsWith("/") ? pathToFileURL(jwks) : new URL(jwks), {
      cacheMaxAge: Infinity,
      cooldownDuration: 60_000,
      timeoutDuration: 5000,
      [jwksCache]: lastRead,
      [customFetch]: readKeySet
    })
    const reload = Effect.tryPromise({ try: () => keys.reload(), catch: codeOf }).pipe(
      Effect.catchAll((code) =>
        Effect.logWarning(`the keys of jwt.jwks cannot be read; known ones stay in use: ${code}`)
      )
    )
    yield* Effect.forkScoped(Effect.repeat(reload, Schedule.spaced("10 minutes")))

    const verified = LruMap.make<{ identity: Identity; until: number }>({ maxSize: 10_000 })
    const verify = (token: string): Effect.Effect<Identity> => {
      // The next read of the keys may withdraw one.
      const id = `${Tokens.hash(token)} ${lastRead.uat}`
      const known = verified.get(id)
      if (known !== undefined && now() < known.until) return Effect.succeed(known.identity)
      const options = {
        algorithms: [...algorithms],
        issuer,
        audience,
        requiredClaims: ["exp"],
        clockTolerance: Duration.toSeconds(clockSkew),
        currentDate: new Date(now())
      }
      return Effect.promise(() =>
        jwtVerify(token, keys, options).then(
          ({ payload: { [claim]: value, exp = 0 } }): Identity => {
            const identity = typeof value === "string"
              ? Either.right(value)
              : refused(clientUnknown, `the claim ${claim} is not a text`)
            verified.set(id, { identity, until: exp * 1000 + Duration.toMillis(clockSkew) })
            return identity
          },
          (error: unknown) => {
            const code = codeOf(error)
            if (!keys.fresh) return refused(keysUnavailable, code)
            const [failed, reason] = ["claim", "reason"].map((name) =>
              Predicate.hasProperty(error, name) ? error[name] : ""
            )
            const isTime = code === "ERR_JWT_EXPIRED" || failed === "nbf"
            return refused(isTime ? Tokens.expired : Tokens.unknown, `${code} ${failed} ${reason}`.trim())
          }
        )
      )
    }
    return (tokens: ReadonlyArray<string>) =>
      tokens.filter(isJwt).reduce(
        (found, token) =>
          Completed.flatMap(found, (identities) =>
            Completed.map(verify(token), (each) => [...identities, each])),
        none
      )
  })

const refused = ({ code, headers, message }: ProxyError.ProxyError, reason: string): Identity =>
  Either.left(new ProxyError.ProxyError({ code, message, headers, logDetail: `JWT refused: ${reason}` }))

const failure = (code: string) => Object.assign(new Error(), { code })

/** Messages may contain the URL. */
const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code")
    ? String(error.code)
    : Predicate.hasProperty(error, "cause")
    ? codeOf(error.cause)
    : "unknown"

/** The library is loaded only if JWTs are configured. */
export const layer = ({ jwt }: Pick<Config, "jwt">): Layer.Layer<Jwt> =>
  jwt === undefined ? Layer.succeed(Jwt, () => none) : Layer.provide(
    Layer.scoped(Jwt, make(jwt)),
    Layer.unwrapEffect(Effect.map(
      Effect.promise(() => import("@blockquarry/http/UndiciTransport")),
      ({ dispatcher }) => Layer.orDie(dispatcher)
    ))
  )

export const clientUnknown = ProxyError.make(
  "client-unknown",
  "the token is valid, and no client of this proxy has its subject"
)

const keysUnavailable = ProxyError.make(
  "jwks-unavailable",
  "the keys of the issuer of tokens are not available; retry later",
  { "retry-after": "10" }
)
