/** The log of requests with `--verbose`. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

/** Returns the lines of the log without timestamps. */
const logged = (err: string): ReadonlyArray<string> =>
  err.split("\n").flatMap((line) => /^\d\d:\d\d:\d\d\.\d{3} (.*)$/.exec(line)?.slice(1) ?? [])

const url = `http://sandbox.invalid/api/v2.2/erc20/${exampleValues.token}/price?exchange=mm%20finance`
const price = ["token", "price", exampleValues.token, "--exchange", "mm-finance"]

it.live("logs each request, its result, and the wait before the next attempt", () =>
  Effect.gen(function*() {
    const faults = [{ fault: { status: 503 }, count: 1 }, { fault: { kind: "reset" as const }, count: 1 }]
    const ran = yield* Effect.withRandom(
      quarry([...price, "-v"], { env: sandboxEnvironment, sandbox: { faults } }),
      Random.fixed([0.001])
    )
    expect(logged(ran.err)).toEqual([
      `#1 → GET ${url}`,
      expect.stringMatching(/^#1 ← 503 ServerError \(\d+ms, \d+ bytes\), retrying in \d+ms$/),
      `#1 → GET ${url}`,
      expect.stringMatching(
        /^#1 ← NetworkError: connection to \S+ failed: connection reset \(ECONNRESET\) \(attempt 2, \d+ms\), retrying in \S+$/
      ),
      `#1 → GET ${url}`,
      expect.stringMatching(/^#1 ← \d+.* \(attempt 3, \d+ms, \d+ bytes\)$/)
    ])
  }))

it.live("numbers the calls of a paginated list", () =>
  Effect.gen(function*() {
    const ran = yield* quarry(
      [
        "token",
        "transfers",
        exampleValues.token,
        "--limit",
        "2",
        "--max-items",
        "4",
        "--verbose",
        "--sandbox"
      ]
    )
    const numbers = logged(ran.err).map((line) => line.slice(0, 4))
    expect(numbers.slice(0, 2)).toEqual(["#1 →", "#1 ←"])
    expect(numbers).toEqual(expect.arrayContaining(["#2 →", "#2 ←"]))
    expect(ran.err).toContain(
      `http://sandbox.invalid/api/v2.2/erc20/${exampleValues.token}/transfers?limit=2&cursor=`
    )
  }))

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

it.live("logs nothing without --verbose", () =>
  Effect.gen(function*() {
    const ran = yield* quarry(price, {
      env: sandboxEnvironment,
      client: respondingWith(`{"usdPrice":1}`).client
    })
    expect(ran).toMatchObject({ code: 0, err: "" })
  }))
