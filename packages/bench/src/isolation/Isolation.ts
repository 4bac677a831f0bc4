/**
 * The latency of two well-behaved clients while a third behaves badly, compared with their undisturbed latency. One sends
 * cached requests, the other uncached ones; each has one request in flight.
 */
import * as Effect from "effect/Effect"
import { smallDocument, transfersPage } from "../Documents.ts"
import * as Load from "../Load.ts"
import { benchPath, forkProcess } from "../Processes.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as Servers from "../Servers.ts"
import {
  type Misbehavior,
  misbehaviors,
  noisyClient,
  noisyPaths,
  pathOf,
  start,
  tokenOf
} from "./Misbehavior.ts"

interface ClientLatency {
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Responses with a status other than 200, and broken connections. */
  readonly failures: number
}

export interface IsolationResult {
  /** What the third client does; `undisturbed` without it. */
  readonly name: string
  readonly cached: ClientLatency
  readonly uncached: ClientLatency
}

const paths = { cached: pathOf("1"), uncached: pathOf("2") }

const bodies = {
  [paths.cached]: smallDocument.body,
  [paths.uncached]: smallDocument.body,
  [noisyPaths.small]: smallDocument.body,
  [noisyPaths.large]: transfersPage("strings", "next", 1000),
  [noisyPaths.hanging]: null
}

/** Time for the noisy client to reach its effect. */
const leadIn = "500 millis"

/** Measures each kind of misbehavior with a proxy of its own, which has served `warmUp` requests. */
export const runIsolation = (
  requests: number,
  onResult: (result: IsolationResult) => Effect.Effect<void>,
  selected: ReadonlyArray<Misbehavior>,
  warmUp = Servers.measureOptions.warmUpIterations
): Effect.Effect<void> =>
  Effect.forEach(
    [undefined, ...selected],
    (misbehavior) => Effect.flatMap(measure(misbehavior, requests, warmUp), onResult),
    { discard: true }
  )

const measure = (misbehavior: Misbehavior | undefined, requests: number, warmUp: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { baseUrl } = yield* Servers.startUpstream({ bodies })
    const { port } = yield* QuarryProxy.start(baseUrl, {
      clients: ["cached", "uncached", noisyClient].map((name) => ({
        ...QuarryProxy.clientConfig(name, tokenOf(name)),
        ...(name === noisyClient && misbehavior?.rateLimit ? { rateLimit: misbehavior.rateLimit } : {})
      }))
    })
    yield* measureClient(port, Servers.connections, warmUp, nextUncached)
    if (misbehavior !== undefined) {
      yield* forkProcess(benchPath, ["noise", misbehavior.name, `${port}`])
      yield* Effect.sleep(leadIn)
    }
    const clients = yield* Effect.all({
      cached: measureClient(port, 1, requests, nextCached),
      uncached: measureClient(port, 1, requests, nextUncached)
    }, { concurrency: "unbounded" })
    return { name: misbehavior?.name ?? "undisturbed", ...clients }
  }))

/** Behaves badly until the parent process disconnects. A process of its own, so that it does not delay the other clients. */
export const makeNoise = (misbehavior: Misbehavior, port: number): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => {
      start(misbehavior, port)
      process.once("disconnect", () => process.exit())
    }),
    Effect.never
  )

let sequence = 0

const nextCached = () => ({ target: paths.cached, headers: { "x-api-key": tokenOf("cached") } })

const nextUncached = () => ({
  target: `${paths.uncached}?n=${++sequence}`,
  headers: { "x-api-key": tokenOf("uncached") }
})

const measureClient = (port: number, connections: number, requests: number, next: () => Load.Request) =>
  Effect.gen(function*() {
    const latencies: Array<number> = []
    let failures = 0
    const onResponse = (response: Load.Response | Error, milliseconds: number) => {
      latencies.push(milliseconds)
      if (response instanceof Error || response.status !== 200) failures += 1
    }
    yield* Load.send({ port, connections, next, onResponse }, requests)
    latencies.sort((a, b) => a - b)
    const quantile = (q: number) => latencies[Math.floor(latencies.length * q)] ?? Number.NaN
    return { p50: quantile(0.5), p99: quantile(0.99), failures }
  })

const nameWidth = Math.max(...misbehaviors.map(({ name }) => name.length))

const formatClient = ({ failures, p50, p99 }: ClientLatency): string =>
  `${p50.toFixed(1).padStart(8)}${p99.toFixed(1).padStart(8)}${String(failures).padStart(10)}`

export const header = `${
  "milliseconds".padEnd(nameWidth)
}   cached: p50     p99  failures   uncached: p50     p99  failures`

export const formatResult = ({ cached, name, uncached }: IsolationResult): string =>
  `${name.padEnd(nameWidth)}      ${formatClient(cached)}       ${formatClient(uncached)}`
