/** Connects to Redis with a password: no output of the proxy contains it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import * as Net from "node:net"
import { delimiter, join } from "node:path"
import { inspect } from "node:util"
import { transfers } from "../hostile/corpus/entry.ts"
import { bytes, exchange } from "../hostile/rawHttp.ts"
import { findSecrets, readAllOutput, secrets, send, startProxy } from "./support.ts"

const redis = (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "redis-server"))
  .find(
    (file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    }
  )

describe.skipIf(redis === undefined)(
  `the password of Redis${redis === undefined ? " (skipped: redis-server is not installed)" : ""}`,
  () => {
    /** A Redis server that requires a password, and its port. */
    const startRedis = (password: string) =>
      Effect.gen(function*() {
        const port = yield* Effect.async<number>((resume) => {
          const free = Net.createServer().listen(0, "127.0.0.1", () => {
            const address = free.address()
            free.close(() =>
              resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
            )
          })
        })
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(redis ?? "", [
              "--port",
              String(port),
              "--bind",
              "127.0.0.1",
              "--save",
              "",
              "--requirepass",
              password
            ], {
              stdio: "ignore",
              cwd: "/tmp"
            })
          ),
          (child) =>
            Effect.async<void>((resume) => {
              child.once("exit", () => resume(Effect.void))
              child.kill("SIGKILL")
            })
        )
        const ping = Effect.filterOrFail(exchange(port, bytes("PING\r\nQUIT\r\n")), (reply) =>
          reply.includes("NOAUTH"))
        yield* Effect.retry(ping, Schedule.spaced("10 millis").pipe(Schedule.upTo("10 seconds")))
        return port
      })

    const settings = (port: number) => {
      const url = Redacted.make(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:${port}`)
      return { redis: { keyPrefix: "quarry:", whenUnavailable: "share", url } } as const
    }

    it.scopedLive("does not leave the proxy if it is correct", () =>
      Effect.gen(function*() {
        const proxy = yield* startProxy(settings(yield* startRedis(secrets.redis)))
        const outputs: Array<string> = []
        for (let times = 0; times < 3; times++) {
          outputs.push(yield* send(proxy.port, transfers, [`X-API-Key: ${secrets.mine}`]))
        }
        expect(outputs.map((one) => one.slice(9, 12))).toEqual(["200", "200", "200"])
        expect([...outputs, ...yield* readAllOutput(proxy)].flatMap(findSecrets)).toEqual([])
      }))

    it.scopedLive("is not in the error if it is wrong", () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(startProxy(settings(yield* startRedis("another"))))
        expect(inspect(error)).toContain("rejects the user or the password")
        expect(findSecrets(inspect(error))).toEqual([])
      }))

    it.scopedLive("does not leave the proxy if the server is unreachable", () =>
      Effect.gen(function*() {
        const proxy = yield* startProxy(settings(1))
        const output = yield* send(proxy.port, transfers, [`X-API-Key: ${secrets.mine}`])
        expect(output.slice(9, 12)).toBe("200")
        expect([output, ...yield* readAllOutput(proxy)].flatMap(findSecrets)).toEqual([])
      }))
  }
)
