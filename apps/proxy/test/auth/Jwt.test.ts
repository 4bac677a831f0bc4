/** JWTs as tokens: which are accepted, and what the others get. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"
import * as Jose from "jose"
import { createHmac } from "node:crypto"
import { afterEach, vi } from "vitest"
import * as Jwt from "../../src/auth/Jwt.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { type Config, defaults } from "../../src/config/Config.ts"
import { eventually } from "../fleet/support/Eventually.ts"
import { makeChanges } from "../hostile/rawHttp.ts"
import * as PageServer from "../support/PageServer.ts"
import { configuredTokens, type RequestOptions, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

afterEach(() => {
  vi.useRealTimers()
})

const price = sampleRequests["tokenPrice"]?.path ?? ""

const issuer = "https://login.example.com"
const audience = "quarry"
const now = Date.UTC(2026, 10, 24)
const seconds = now / 1000

/** A key pair that a test can sign with, and its public part in a key set. */
const keyPair = (alg: string, kid: string) =>
  Effect.promise(async () => {
    const { privateKey, publicKey } = await Jose.generateKeyPair(alg, { extractable: true })
    return {
      alg,
      kid,
      privateKey,
      publicKey,
      jwk: { ...(await Jose.exportJWK(publicKey)), kid, alg, use: "sig" }
    }
  })

type KeyPair = Effect.Effect.Success<ReturnType<typeof keyPair>>

/** Text of a token that must not appear in a log. */
const canary = "zanzibar"

const valid = { iss: issuer, aud: audience, sub: "svc-shop", exp: seconds + 600 }

const sign = (
  { alg, kid, privateKey }: Pick<KeyPair, "alg" | "kid" | "privateKey">,
  claims: object = {},
  header: object = {}
) => new Jose.SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Serves the key set, which a test replaces, and counts its requests. */
const issuerServer = Effect.gen(function*() {
  const { notify, when } = makeChanges()
  const state = {
    keys: [] as ReadonlyArray<object>,
    requests: 0,
    status: 200,
    body: "",
    hangs: false,
    /** Waits until `count` requests have been received. */
    requested: (count: number) => when(() => state.requests < count ? undefined : Effect.void)
  }
  const { url } = yield* PageServer.serve((_, response) => {
    state.requests += 1
    notify()
    if (state.hangs) return
    response.writeHead(state.status, { location: "/elsewhere" })
      .end(state.body || JSON.stringify({ keys: state.keys }))
  })
  return { state, url: `${url}jwks` }
})

const jwtOf = (jwks: string, other: Partial<NonNullable<Config["jwt"]>> = {}) => ({
  issuer,
  audience,
  jwks,
  algorithms: ["RS256", "ES256"] as const,
  clockSkew: Duration.seconds(30),
  claim: "sub",
  ...other
})

const startProxy = (jwks: string, clock = () => now, jwt: Partial<NonNullable<Config["jwt"]>> = {}) =>
  Effect.map(
    start({
      clock,
      config: {
        clients: [
          testClient("shop", "token-of-shop", { subjects: ["svc-shop"] }),
          testClient("timed", "unused", {
            tokens: configuredTokens([
              `${Tokens.hash("expired")} until 2026-11-23`,
              `${Tokens.hash("early")} from 2026-11-24T00:00:01Z`,
              `${Tokens.hash("timely")} from 2026-11-01 until 2026-12-01`
            ])
          })
        ],
        jwt: jwtOf(jwks, jwt),
        listen: { ...defaults.listen, port: 0 }
      }
    }),
    ({ lines, port }) => ({
      lines,
      send: (headers: NonNullable<RequestOptions["headers"]>, path = price) =>
        Effect.map(sendRequest(port, path, { headers }), ({ headers, status, text }) => {
          const { code = null, message = "", requestId } = status === 200 ? {} : JSON.parse(text)
          const { date: _, "x-request-id": __, ...otherHeaders } = headers
          // What tells one rejection from another
          const visible = JSON.stringify([status, otherHeaders, text.replace(requestId, "")])
          return { status, code, message, visible }
        })
    })
  )

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe("a JWT", () => {
  it.scopedLive("is accepted or gets the right status, and appears in no response and log", () =>
    Effect.gen(function*() {
      const { state, url } = yield* issuerServer
      const rsa = yield* keyPair("RS256", "rsa")
      const ec = yield* keyPair("ES256", "ec")
      const unlisted = yield* keyPair("EdDSA", "unlisted")
      const other = yield* keyPair("RS256", "rsa")
      state.keys = [rsa.jwk, ec.jwk, unlisted.jwk]
      const publicPem = yield* Effect.promise(() => Jose.exportSPKI(rsa.publicKey))
      const hmac = (header: object, key: string) => {
        const text = `${encode(header)}.${encode(valid)}`
        return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`
      }
      const table: ReadonlyArray<
        readonly [title: string, token: string | Promise<string>, expected: string | null, reason?: string]
      > = [
        ["by RSA", sign(rsa), null],
        ["by an elliptic curve", sign(ec), null],
        ["that expired within the skew", sign(rsa, { exp: seconds - 29 }), null],
        [
          "with a key of its own in the header, which is ignored",
          sign(rsa, {}, { jwk: other.jwk, jku: url }),
          null
        ],
        ["that has expired", sign(rsa, { exp: seconds - 30 }), "token-expired", "exp check_failed"],
        ["that is not valid yet", sign(rsa, { nbf: seconds + 31 }), "token-expired", "nbf check_failed"],
        ["of another subject", sign(rsa, { sub: "svc-other" }), "client-unknown"],
        ["with a subject that is no text", sign(rsa, { sub: ["svc-shop"] }), "client-unknown", "claim sub"],
        ["by another key of the same name", sign(other), "token-unknown", "SIGNATURE_VERIFICATION_FAILED"],
        ["by an unknown key", sign({ ...other, kid: "unknown" }), "token-unknown", "NO_MATCHING_KEY"],
        ["for another audience", sign(rsa, { aud: "other" }), "token-unknown", "aud check_failed"],
        ["without an end", sign(rsa, { exp: undefined }), "token-unknown", "exp missing"],
        ["by another key, which has expired", sign(other, { exp: 1 }), "token-unknown"],
        ["with an algorithm that is not listed", sign(unlisted), "token-unknown", "ALG_NOT_ALLOWED"],
        ["without a signature", `${encode({ alg: "none" })}.${encode(valid)}.e30`, "token-unknown"],
        [
          "signed with the public key as a secret",
          hmac({ alg: "HS256", kid: "rsa" }, publicPem),
          "token-unknown"
        ],
        ["that is no JSON", "e30x.e30.e30", "token-unknown"],
        [
          "whose claims have a secret",
          sign(rsa, { iss: canary, aud: canary, [canary]: canary }),
          "token-unknown",
          "iss"
        ],
        [
          "whose header has a secret",
          `${encode({ alg: "RS256", kid: canary, crit: [canary], [canary]: 1 })}.${encode(valid)}.e30`,
          "token-unknown",
          "NOT_SUPPORTED"
        ],
        ["that is as long as headers may be", sign(rsa, { text: "x".repeat(11_000) }), null]
      ]
      const { lines, send } = yield* startProxy(url)
      const bodies = new Set<string>()
      for (const [title, made, expected, reason = ""] of table) {
        const token = yield* Effect.promise(async () => made)
        const { code, message, status, visible } = yield* send(bearer(token))
        expect([title, code]).toEqual([title, expected])
        expect(status).toBe(expected === null ? 200 : expected === "client-unknown" ? 403 : 401)
        if (code === "token-unknown") bodies.add(visible)
        const { detail = "" } = JSON.parse(lines.at(-1) ?? "")
        const isRefused = expected !== null && title !== "of another subject"
        expect([title, detail]).toEqual([
          title,
          isRefused ? expect.stringMatching(/^JWT refused: [\w ]+$/) : ""
        ])
        expect(detail).toContain(reason)
        const secret = token.split(".").at(-1)
        expect(`${message}${lines.join("")}`).not.toContain(token)
        if (secret !== "e30") expect(lines.join("")).not.toContain(secret)
      }
      expect(bodies.size).toBe(1)
      expect(lines.join("")).not.toMatch(new RegExp(`svc-|evil|${canary}`))
      const tooLong = yield* Effect.promise(() => sign(rsa, { text: "x".repeat(13_000) }))
      expect(yield* send(bearer(tooLong))).toMatchObject({ status: 431, code: "malformed-request" })
      // One read at the start, and one for the unknown key
      expect(state.requests).toBeLessThanOrEqual(2)
      const [good, bad] = yield* Effect.promise(() => Promise.all([sign(rsa), sign(other)]))
      for (
        const [token, key] of [[bad, "token-of-shop"], [good, bad], [bad, good], [good, "unknown"]] as const
      ) {
        expect((yield* send({ ...bearer(token), "x-api-key": key })).status).toBe(200)
      }
      for (const [path, status] of [["/nowhere", 403], [`/${"x".repeat(9000)}`, 414]] as const) {
        expect((yield* send(bearer(good), path)).status).toBe(status)
        expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ client: "shop", route: "-", status })
      }
    }))

  it.scopedLive("is not verified beside a valid token, nor for pages, so that neither waits for the issuer", () =>
    Effect.gen(function*() {
      const { state, url } = yield* issuerServer
      const [key, foreign] = [yield* keyPair("ES256", "key"), yield* keyPair("ES256", "foreign")]
      state.keys = [key.jwk]
      vi.useFakeTimers({ toFake: ["Date"], now })
      const { send } = yield* startProxy(url, Date.now)
      const [good, bad] = yield* Effect.promise(() => Promise.all([sign(key), sign(foreign)]))
      expect((yield* send(bearer(good))).status).toBe(200)
      // The unknown key would cause a read, which never ends.
      vi.setSystemTime(now + 61_000)
      state.hangs = true
      for (const [jwt, token] of [[bad, "token-of-shop"], ["token-of-shop", bad]] as const) {
        expect((yield* send({ ...bearer(jwt), "x-api-key": token })).status).toBe(200)
        expect(state.requests).toBe(1)
      }
      for (const path of ["/livez", "/readyz?a=b", "/%6civez", "/openapi.json", "/"]) {
        const { status } = yield* send(bearer(bad), path)
        expect([path, status, state.requests]).toEqual([path, 200, 1])
      }
      yield* Effect.forkScoped(send(bearer(bad)))
      yield* state.requested(2)
      // It is verified beside a token that is not accepted.
      for (const token of ["expired", "early", "unknown"]) {
        expect((yield* send({ ...bearer(good), "x-api-key": token })).status).toBe(200)
      }
    }))

  it.scopedLive("names its client with the configured claim, until it has expired", () =>
    Effect.gen(function*() {
      const { state, url } = yield* issuerServer
      const key = yield* keyPair("ES256", "key")
      state.keys = [key.jwk]
      let time = now
      const { send } = yield* startProxy(url, () => time, { claim: "client_id" })
      const [named, other] = yield* Effect.promise(() =>
        Promise.all([sign(key, { sub: "x", client_id: "svc-shop" }), sign(key)])
      )
      expect((yield* send(bearer(named))).code).toBe(null)
      expect((yield* send(bearer(other))).code).toBe("client-unknown")
      time += 629_999
      expect((yield* send(bearer(named))).code).toBe(null)
      time += 1
      expect((yield* send(bearer(named))).code).toBe("token-expired")
    }))

  it.scoped("by a key that the issuer withdraws is rejected after the next read, which may fail at first", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { state, url } = yield* issuerServer
      const [old, next] = [yield* keyPair("ES256", "old"), yield* keyPair("ES256", "next")]
      state.keys = [old.jwk, next.jwk]
      const identify = Context.get(yield* Layer.build(Jwt.layer({ jwt: jwtOf(url) })), Jwt.Jwt)
      const tokens = yield* Effect.promise(() =>
        Promise.all([old, next].map((key) => sign(key, { exp: seconds + 3600 })))
      )
      const accepted = Effect.map(
        Effect.forEach(tokens, (token) => identify([token])),
        (identities) => identities.flat().map(Either.isRight)
      )
      const { currentTimeMillis, sleeps } = yield* TestClock.testClock()
      /** Waits until the keys have been read, and the next read is scheduled. */
      const hasRead = Effect.flatMap(currentTimeMillis, (now) =>
        TestServices.provideLive(
          eventually("the keys have been read", Effect.map(sleeps, Chunk.some((at) => at === now + 600_000)))
        ))
      yield* hasRead
      expect(yield* accepted).toEqual([true, true])
      Object.assign(state, { keys: [next.jwk], status: 500 })
      yield* TestClock.adjust("10 minutes")
      yield* hasRead
      expect([state.requests, yield* accepted]).toEqual([2, [true, true]])
      state.status = 200
      yield* TestClock.adjust("10 minutes")
      yield* hasRead
      expect([state.requests, yield* accepted]).toEqual([3, [false, true]])
    }))

  it.scopedLive("by a new key is accepted after one read, and unknown keys cause at most one per minute", () =>
    Effect.gen(function*() {
      const { state, url } = yield* issuerServer
      const [old, next] = [yield* keyPair("ES256", "old"), yield* keyPair("ES256", "next")]
      state.keys = [old.jwk]
      vi.useFakeTimers({ toFake: ["Date"], now })
      const { send } = yield* startProxy(url, Date.now)
      const tokens = yield* Effect.promise(() =>
        Promise.all([sign(old), sign(next), sign({ ...next, kid: "x" })])
      )
      const codes = Effect.forEach(tokens, (token) => Effect.map(send(bearer(token)), ({ code }) => code))
      expect(yield* codes).toEqual([null, "token-unknown", "token-unknown"])
      state.keys = [old.jwk, next.jwk]
      vi.setSystemTime(now + 59_000)
      expect(yield* codes).toEqual([null, "token-unknown", "token-unknown"])
      expect(state.requests).toBe(1)
      vi.setSystemTime(now + 61_000)
      expect(yield* codes).toEqual([null, null, "token-unknown"])
      expect(yield* codes).toEqual([null, null, "token-unknown"])
      expect(state.requests).toBe(2)
    }))

  it.scopedLive.each([
    ["an error", { status: 500 }],
    ["a redirect", { status: 302 }],
    ["no key set", { body: "[]" }],
    ["no JSON", { body: "<html>" }],
    ["too much", { body: " ".repeat(1_200_000) }]
  ])("gets 503 while the keys cannot be read: %s", ([, answer]) =>
    Effect.gen(function*() {
      const { state, url } = yield* issuerServer
      const key = yield* keyPair("ES256", "key")
      state.keys = [key.jwk]
      Object.assign(state, answer)
      let time = now
      const { lines, send } = yield* startProxy(url, () => time)
      const token = yield* Effect.promise(() => sign(key))
      expect(yield* send(bearer(token))).toMatchObject({ status: 503, code: "jwks-unavailable" })
      expect(yield* send(bearer("e30.e30.e30"))).toMatchObject({ status: 503, code: "jwks-unavailable" })
      // Other clients need none
      expect((yield* send({ "x-api-key": "token-of-shop" })).status).toBe(200)
      expect(state.requests).toBe(1)
      expect(lines.filter((line) => line.includes("cannot be read"))).toHaveLength(1)
      expect(lines.join("")).not.toContain(url)
      Object.assign(state, { status: 200, body: "" })
      time += 4999
      expect((yield* send(bearer(token))).status).toBe(503)
      expect(state.requests).toBe(1)
      time += 1
      expect((yield* send(bearer(token))).status).toBe(200)
      // The known keys stay in use
      state.status = 500
      time += 60_000
      expect((yield* send(bearer(yield* Effect.promise(() => sign(key, { jti: "2" }))))).status).toBe(200)
    }))
})

describe("a token with times", () => {
  it.scopedLive("is valid between them", () =>
    Effect.gen(function*() {
      let time = now
      const { send } = yield* startProxy("file:///nowhere", () => time)
      const codes = Effect.forEach(["expired", "early", "timely", "unknown"], (token) =>
        Effect.map(send({ "x-api-key": token }), ({ code }) => code))
      expect(yield* codes).toEqual(["token-expired", "token-expired", null, "token-unknown"])
      time += 1000
      expect(yield* codes).toEqual(["token-expired", null, null, "token-unknown"])
      time = Date.UTC(2026, 11, 1)
      expect(yield* codes).toEqual(["token-expired", null, "token-expired", "token-unknown"])
    }))
})
