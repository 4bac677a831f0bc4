/** Servers with Sentinels, and with certificates of both sides. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Certificate from "../../http/test/support/Certificate.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisServer from "./support/RedisServer.ts"
import * as Sentinels from "./support/Sentinels.ts"
import { until } from "./support/WaitUntil.ts"

describe.skipIf(RedisServer.program === undefined)(`Sentinels${RedisServer.skipReason}`, () => {
  it.scopedLive("lead to the new primary after a failover, with a subscription, and the errors say what is wrong", () =>
    Effect.gen(function*() {
      const sentinelPassword = "of-the-sentinels"
      const { failover, primary, sentinels, url } = yield* Sentinels.make(sentinelPassword)
      const messageOf = (options: Redis.RedisOptions) =>
        Effect.map(Effect.flip(Redis.check(options)), ({ message }) => message)
      expect(yield* messageOf({ url })).toContain("(Sentinel password): the Sentinels require")
      expect(yield* messageOf({ url: url.replace("/main", "/mian"), sentinelPassword })).toContain(
        "(unknown primary): the Sentinels monitor no primary of this name"
      )

      // One that is away is passed over
      yield* sentinels[0].stop
      const redis = yield* Redis.make({ url, sentinelPassword })
      let messages = 0
      yield* redis.subscribe("quarry:channel", () => messages += 1)
      yield* redis.ping
      yield* primary.stop
      expect((yield* Effect.either(redis.ping))._tag).toBe("Left")
      yield* failover
      yield* until(Effect.isSuccess(redis.ping))
      yield* until(Effect.isSuccess(redis.values.ping))
      const before = messages
      yield* until(Effect.map(Effect.either(redis.publish("quarry:channel", "")), () => messages > before))
      yield* Effect.forEach(sentinels, ({ stop }) => stop)
      expect(yield* messageOf({ url, sentinelPassword })).toContain("no Sentinel replies")
    }))
})

describe.skipIf(RedisServer.program === undefined)(`a server with TLS${RedisServer.skipReason}`, () => {
  it.scopedLive("is used with its authority and a certificate of the client, and the errors say what is missing", () =>
    Effect.gen(function*() {
      // Each signs itself, so both are in the file of authorities of the server
      const certificate = Certificate.make()
      const { port } = yield* RedisServer.make({ certificate, args: ["--tls-auth-clients", "yes"] })
      const url = `rediss://127.0.0.1:${port}`
      const tls = { ca: certificate.cert, certificate: certificate.cert, key: certificate.key }
      yield* Redis.check({ url, tls })
      const message = (options: Redis.RedisOptions) =>
        Effect.map(Effect.flip(Redis.check(options)), ({ message }) => message)
      expect(yield* message({ url })).toContain("set tls.ca")
      expect(yield* message({ url, tls: { ca: certificate.cert } })).toContain(
        "set tls.certificate and tls.key"
      )
      const other = { ca: certificate.cert, certificate: certificate.cert, key: Certificate.make().key }
      expect(yield* message({ url, tls: other })).toContain("does not belong to tls.certificate")
      expect(yield* message({ url, tls: { ...other, key: "-----BEGIN X-----" } })).toContain("cannot be read")
      expect(yield* message({ url: `redis://127.0.0.1:${port}`, tls })).toContain("expected rediss://")
    }))

  it.scopedLive("is used with the certificates that a function returns for each connection", () =>
    Effect.gen(function*() {
      let { cert, key } = Certificate.make()
      const options = { certificate: { cert, key }, args: ["--tls-auth-clients", "yes"] }
      const server = yield* RedisServer.make(options)
      const redis = yield* Redis.make({
        url: `rediss://127.0.0.1:${server.port}`,
        tls: () => ({ ca: cert, certificate: cert, key: Redacted.make(key) })
      })
      yield* redis.ping
      options.certificate = Certificate.make()
      yield* server.restart
      yield* until(Effect.map(Effect.flip(redis.ping), ({ fix = "" }) => fix.includes("set tls.ca")))
      ;({ cert, key } = options.certificate)
      yield* until(Effect.map(Effect.either(redis.ping), Either.isRight))
    }))
})
