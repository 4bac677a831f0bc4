import type { FaultRule, SandboxService } from "@blockquarry/sandbox/Sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { integerValue, singleValue } from "../args/ArgumentValues.ts"
import { duration, expecting, parseDuration } from "../args/Checks.ts"
import { integerOption, textOption } from "../args/CommandOption.ts"
import { timeoutOption } from "../args/GlobalOptions.ts"
import { ServerStartError } from "../errors/CommandError.ts"
import { describeSystemError } from "../errors/SystemError.ts"
import { print } from "../terminal/Terminal.ts"
import { localCommand } from "./LocalCommand.ts"

/** Failures of networks and services that a client should survive. */
const faults: ReadonlyArray<FaultRule["fault"]> = [
  { status: 503 },
  { kind: "reset" },
  { status: 429, "retry-after": "1" },
  { kind: "truncate" }
]

/**
 * Returns rules of which exactly `share` of all requests match one, each fault as often as the others. A rule does not see
 * the requests of those before it, so its period is shorter by one for each of them.
 */
export const faultRules = (share: number, delay: number): ReadonlyArray<FaultRule> => {
  const period = Math.round(faults.length / share)
  return [
    ...share === 0 ? [] : faults.map((fault, index) => ({
      fault: { delay, ...fault },
      every: Math.max(1, period - index),
      skip: Math.floor((index * period) / faults.length)
    })),
    ...delay === 0 ? [] : [{ fault: { delay } }]
  ]
}

/** Logs each request with its status, and the fault of its response. */
const withRequestLog = (sandbox: SandboxService): SandboxService => ({
  ...sandbox,
  handle: (request) =>
    Effect.tap(sandbox.handle(request), ({ status, transmission }) => {
      const fault = transmission === "complete" ? "" : ` (fault: ${transmission})`
      return Effect.logDebug(`${request.method} ${request.url} ${status}${fault}`)
    })
})

export const sandboxServe = localCommand({
  path: ["sandbox", "serve"],
  summary: "Run the sandbox as an HTTP server until interrupted",
  note: "With --verbose, each request is a line on stderr.",
  options: [
    integerOption("port", [0, 65_535], "Port to listen on; 0 selects a free port (default: 4000)"),
    textOption("host", "address", "Address to listen on (default: 127.0.0.1)"),
    integerOption("seed", [0, 4_294_967_295], "Seed of the synthetic data (default: 1)"),
    integerOption("scale", [0, 10_000_000], "Number of transfers of the busiest token (default: 10000)"),
    textOption(
      "block-time",
      "duration",
      "Add a block with new transfers and trades to every chain after this time (default: never)",
      { check: duration }
    ),
    textOption("faults", "share", "Share of requests that fail, for example 0.05 (default: 0)", {
      check: expecting("a number from 0 to 1", (value) => /^(?:0|1|0?\.\d{1,6}|1\.0)$/.test(value))
    }),
    textOption("latency", "duration", "Time before each response (default: 0s)", { check: duration }),
    timeoutOption
  ],
  runsUntilInterrupted: true,
  examples: ["", "--port 0 --seed 7 --block-time 2s", "--port 0 --faults 0.05 --latency 50ms"],
  run: Effect.fnUntraced(function*({ settings, values }) {
    const host = singleValue(values, "host") ?? "127.0.0.1"
    const port = integerValue(values, "port") ?? 4000
    const blockTime = parseDuration(singleValue(values, "block-time") ?? "")
    const latency = parseDuration(singleValue(values, "latency") ?? "") ?? Duration.zero
    const [server, { layerSandbox, Sandbox }] = yield* Effect.promise(() =>
      Promise.all([import("@blockquarry/sandbox/Server"), import("@blockquarry/sandbox/Sandbox")])
    )
    yield* Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const running = yield* server.serve({ host, port }).pipe(
        Effect.provideService(Sandbox, settings.isVerbose ? withRequestLog(sandbox) : sandbox),
        Effect.mapError(({ code }) =>
          new ServerStartError({
            reason: `cannot listen on ${host}:${port}: ${describeSystemError({ code })}`
          })
        )
      )
      const lines = server.banner(running, sandbox)
      yield* print(`${lines.join("\n")}\n`)
      yield* Effect.never
    }).pipe(
      Effect.scoped,
      Effect.provide(layerSandbox({
        seed: integerValue(values, "seed") ?? 1,
        scale: integerValue(values, "scale") ?? 10_000,
        faults: faultRules(Number(singleValue(values, "faults") ?? 0), Duration.toMillis(latency)),
        ...(blockTime === null ? {} : { blockTime })
      }))
    )
  })
})
