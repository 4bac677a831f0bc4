/** The log of requests with `--verbose`. Requests, results, retries and pages are in the golden record `verbose`. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

/** Returns the lines of the log without timestamps. */
const logged = (err: string): ReadonlyArray<string> =>
  err.split("\n").flatMap((line) => /^\d\d:\d\d:\d\d\.\d{3} (.*)$/.exec(line)?.slice(1) ?? [])

const price = ["token", "price", exampleValues.token]

it.live("logs the method of an update, without control characters", () =>
  Effect.gen(function*() {
    const { client } = respondingWith(`{"id":"1","status":"paused"}`)
    const ran = yield* quarry(["stream", "set-status", "a\u001b[31m", "paused", "-v"], {
      env: sandboxEnvironment,
      client
    })
    expect(logged(ran.err)).toEqual([
      "#1 → POST http://sandbox.invalid/streams/evm/a%1B%5B31m/status",
      expect.stringMatching(/^#1 ← 200 \(\S+, 28 bytes\)$/)
    ])
  }))

it.live("logs the cache status that a proxy reports", () =>
  Effect.gen(function*() {
    const { client } = respondingWith(`{"usdPrice":1}`, 200, {
      "content-type": "application/json",
      "cache-status": "quarry-proxy; hit; ttl=30"
    })
    const ran = yield* quarry([...price, "-v"], { env: sandboxEnvironment, client })
    expect(logged(ran.err)[1]).toMatch(/^#1 ← 200 \(.*, cache: quarry-proxy; hit; ttl=30\)$/)
  }))

it.live("logs what a request waits for, and how long", () =>
  Effect.gen(function*() {
    const argv = ["token", "transfers", exampleValues.token, "--limit", "2", "--max-items", "6", "-v"]
    for (const [options, env] of [[[], sandboxEnvironment], [["--sandbox"], {}]] as const) {
      const ran = yield* quarry([...argv, "--rate-limit", "5/100ms", ...options], { env })
      expect(ran.code).toBe(0)
      expect(logged(ran.err)).toContainEqual(
        expect.stringMatching(/^#\d … waiting \S+ for the local rate limit \(--rate-limit\)$/)
      )
    }
  }))
