/** A Redis that replies but cannot be used fails the start and `config check --connect`; an unreachable one only the check. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Certificate from "../../../../packages/http/test/support/Certificate.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { Program, quarryProxy } from "../support/Process.ts"
import * as ProxyProcess from "./support/ProxyProcess.ts"
import * as TempFolder from "./support/TempFolder.ts"

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => new Program([process.execPath, quarryProxy, ...args], { env }).ended())

/** The URL is in a file of its own, so that findings are at its place in the configuration. */
const configFor = (url: string) =>
  Effect.gen(function*() {
    const folder = yield* TempFolder.make
    yield* folder.write("url", url)
    return yield* folder.write(
      "proxy.yaml",
      "listen: { port: 0 }\nadmin: { port: 0 }\nupstream: { sandbox: true }\nredis:\n  url: { file: ./url }\n"
    )
  })

describe.skipIf(RedisServer.program === undefined)(`a Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("that cannot be used fails the start and the check, at its place in the configuration", () =>
    Effect.gen(function*() {
      const { port, url } = yield* RedisServer.make({ password: "p4ss" })
      const file = yield* configFor(`redis://:0ther@127.0.0.1:${port}`)
      for (const args of [["serve"], ["config", "check", "--connect"]]) {
        const { code, stderr, stdout } = yield* run([...args, "--config", file])
        expect([code, stdout]).toEqual([2, ""])
        expect(stderr).toContain(
          `${file}:5:8: redis.url: Redis cannot be used (WRONGPASS): the server rejects`
        )
        expect(stderr).toContain(`quarry-proxy: 1 error in ${file}`)
        expect(stderr).not.toMatch(/0ther|p4ss/)
      }
      const { code, stderr } = yield* run(["config", "check", "--connect"], { QUARRY_REDIS_URL: url })
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^QUARRY_REDIS_URL: Redis cannot be used \(NOAUTH\)/m)
      ])
    }))

  it.scopedLive("that can be used passes the check; that is stopped fails it, but not the start", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const file = yield* configFor(server.url)
      const check = run(["config", "check", "--connect", "--config", file])
      expect(yield* check).toEqual({
        code: 0,
        stderr: "",
        stdout: `${file} is valid, and Redis can be used\n`
      })
      yield* server.stop
      const { code, stderr } = yield* check
      expect([code, stderr]).toEqual([2, expect.stringContaining("redis.url: Redis is unavailable (")])
      const proxy = yield* ProxyProcess.start(["--config", file])
      yield* proxy.waitForLog("the rate limit store is unavailable")
    }))

  it.scopedLive("whose certificates are replaced does not block reloads, and is used with the new ones", () =>
    Effect.gen(function*() {
      const options = { certificate: Certificate.make(), args: ["--tls-auth-clients", "yes"] }
      const server = yield* RedisServer.make(options)
      const folder = yield* TempFolder.make
      const writeCertificates = Effect.gen(function*() {
        yield* folder.replace("cert.pem", options.certificate.cert)
        yield* folder.replace("key.pem", options.certificate.key)
      })
      yield* writeCertificates
      const file = yield* folder.write(
        "proxy.yaml",
        `listen: { port: 0 }\nadmin: { port: 0 }\nupstream: { sandbox: true }\nredis:\n  url: rediss://127.0.0.1:${server.port}\n` +
          "  tls: { ca: { file: ./cert.pem }, certificate: { file: ./cert.pem }, key: { file: ./key.pem } }\n"
      )
      const proxy = yield* ProxyProcess.start(["--config", file])
      options.certificate = Certificate.make()
      yield* server.restart
      yield* proxy.waitForLog("the rate limit store is unavailable")
      const before = proxy.log().length
      yield* writeCertificates
      yield* proxy.waitForLog("redis.tls.certificate changed", before)
      yield* proxy.waitForLog("the rate limit store is available again", before)
      expect(proxy.log().filter((line) => /BEGIN|rejected/.test(line))).toEqual([])
    }))
})
