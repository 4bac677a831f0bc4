/** Connects to Redis with a password: no output of the proxy contains it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import { findSecrets, readAllOutput, secrets, send, startProxy } from "./support.ts"

/** Starts a proxy that uses a Redis on a port. */
const startWith = (port: number) => {
  const url = Redacted.make(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:${port}`)
  return startProxy({ redis: { keyPrefix: "quarry:", whenUnavailable: "open", url } })
}

describe.skipIf(RedisServer.program === undefined)(`the password of Redis${RedisServer.skipReason}`, () => {
  it.scopedLive.each(
    [["correct", RedisServer.make({ password: secrets.redis })], [
      "not used, because the server is unreachable",
      Effect.succeed({ port: 1 })
    ]] as const
  )("does not leave the proxy if it is %s", ([, server]) =>
    Effect.gen(function*() {
      const proxy = yield* startWith((yield* server).port)
      const output = yield* send(proxy.port, transfers, [`X-API-Key: ${secrets.mine}`])
      expect(output.slice(9, 12)).toBe("200")
      expect([output, ...yield* readAllOutput(proxy)].flatMap(findSecrets)).toEqual([])
    }))
})
