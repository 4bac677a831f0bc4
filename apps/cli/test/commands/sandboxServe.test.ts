/** Faults and latency of `quarry sandbox serve`. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { faultRules } from "../../src/commands/sandboxServe.ts"
import { quarry } from "../support/quarry.ts"

it.live("prints each request with --verbose", () =>
  Effect.gen(function*() {
    const captured = { out: "", err: "", progressCount: 0 }
    const until = (ready: () => boolean) => Effect.repeat(Effect.sleep("2 millis"), { until: ready })
    const line = "sandbox serve --port 0 -v"
    const server = yield* Effect.fork(quarry(line.split(" "), { captured }))
    yield* until(() => captured.out.includes("/chains'"))
    const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(captured.out) ?? []
    yield* Effect.ignore(Effect.tryPromise(() => fetch(`${origin}/foo?a=1`)))
    yield* until(() => captured.err.includes("foo"))
    yield* Fiber.interrupt(server)
    expect(captured.err.replace(/\S+ (GET .*)/g, "$1")).toBe(
      "GET /foo?a=1 404\n"
    )
  }))

/** Sends requests to a sandbox with faults, and returns the response or the transmission of each. */
const responses = (share: number, delay: number, count: number) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ faults: faultRules(share, delay), scale: 20 })
    const url = `/api/v2.2/erc20/${sandbox.ledger.examples.token}/price?chain=eth`
    const request = { method: "GET", url, headers: { "x-api-key": Sandbox.apiKey }, body: "" }
    return yield* Effect.replicateEffect(
      Effect.map(sandbox.handle(request), ({ status, transmission }) =>
        transmission === "complete" ? status : transmission),
      count
    )
  })

it.effect.each([[0.05, 20], [0.2, 80], [1, 400]] as const)(
  "a share of %s of all requests fails, each fault as often as the others",
  ([share, failures]) =>
    Effect.gen(function*() {
      const all = (yield* responses(share, 0, 800)).slice(400)
      const counts = new Map<unknown, number>()
      for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1)
      const each = failures / 4
      expect(counts).toEqual(
        new Map<unknown, number>([
          ...(failures === 400 ? [] : [[200, 400 - failures] as const]),
          [503, each],
          [429, each],
          ["reset", each],
          ["truncate", each]
        ])
      )
    })
)

it.effect("latency delays every response", () =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(responses(1, 50, 2))
    yield* TestClock.adjust("99 millis")
    expect((yield* Fiber.poll(fiber))._tag).toBe("None")
    yield* TestClock.adjust("1 millis")
    expect(yield* fiber).toEqual([200, 200])
  }))

it.effect("rejects a share that is none", () =>
  Effect.gen(function*() {
    expect(yield* quarry(["sandbox", "serve", "--faults", "5"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--faults: expected a number from 0 to 1")
    })
  }))
