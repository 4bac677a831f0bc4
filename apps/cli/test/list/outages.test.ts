/** Lists over outages: how long they last, and where the list continues. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment, withRunningClock, withSharedLedger } from "../support/quarry.ts"

const transfers = ["wallet", "transfers", exampleValues.wallet, "--all", "--limit=20"]

/** Runs a list over a service that fails after the first page, for minutes: with 429, or without a response. */
const run = (argv: ReadonlyArray<string>, minutes: number, isLimited = false) =>
  Effect.gen(function*() {
    const inner = Sandbox.httpClient(yield* Sandbox.make(withSharedLedger({ scale: 120 })))
    const limited = new Response("{}", { status: 429, headers: { "retry-after": "600" } })
    let sent = 0
    const client = HttpClient.make((request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sent++ === 0 || now >= minutes * 60_000
          ? inner.execute(request)
          : isLimited
          ? Effect.succeed(HttpClientResponse.fromWeb(request, limited.clone()))
          : new RequestError({
            request,
            reason: "Transport",
            cause: Object.assign(new Error(), { code: "ECONNREFUSED" })
          }))
    )
    const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
    return yield* withRunningClock(quarry(argv, { client, env }), "10 seconds")
  })

it.effect.each(
  [
    ["outlasts an outage that is shorter", [...transfers, "--retry-for=10m"], 5, false, 0],
    ["ends with the cause of one that is longer", [...transfers, "--retry-for=10m"], 20, false, 7],
    ["ends at once without --retry-for", transfers, 1, false, 7],
    ["waits for a rate limit as long as it lasts", [...transfers, "--retry-for=1m"], 90, true, 0]
  ] as const
)("a list %s", ([, argv, minutes, isLimited, code]) =>
  Effect.gen(function*() {
    const { out } = yield* run(argv, 0)
    const ran = yield* run(argv, minutes, isLimited)
    const [, continuation = ""] = /^  quarry (.* --cursor=.*)$/m.exec(ran.err) ?? []
    const rest = code === 0 ? "" : (yield* run(continuation.split(" "), 0)).out
    expect([ran.code, ran.out === "", ran.out + rest]).toEqual([code, false, out])
  }))
