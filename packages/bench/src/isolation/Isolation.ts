/**
 * The latency of two well-behaved clients while a third behaves badly, compared with their undisturbed latency. One sends
 * cached requests, the other uncached ones; each has one request in flight.
 */
import * as Effect from "effect/Effect"
import { forkProcess, forkProgram, pathTo } from "../ChildProgram.ts"
import { formatGet, openConnection } from "../Connection.ts"
import { transfersPage } from "../Documents.ts"
import * as Load from "../Load.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as ServerSubject from "../ServerSubject.ts"
import { type Misbehavior, misbehaviors, start } from "./Misbehavior.ts"

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

const tokens = { cached: "token of cached", uncached: "token of uncached", noisy: "token of noisy" }

const pathOf = (digit: string): string => `/api/v2.2/0x${digit.repeat(40)}/erc20/transfers`

const paths = {
  cached: pathOf("1"),
  uncached: pathOf("2"),
  noisy: pathOf("3"),
  large: pathOf("4"),
  hanging: pathOf("5")
}

const small = transfersPage("strings", "next", 2)

/** A path without a response hangs. */
const bodies = {
  [paths.cached]: small,
  [paths.uncached]: small,
  [paths.noisy]: small,
  [paths.large]: transfersPage("strings", "next", 1000),
  [paths.hanging]: null
}

/** Time for the noisy client to reach its effect. */
const leadIn = "500 millis"

/** Measures each kind of misbehavior with a proxy of its own. */
export const runIsolation = (
  requests: number,
  onResult: (result: IsolationResult) => Effect.Effect<void>,
  selected: ReadonlyArray<Misbehavior> = misbehaviors
): Effect.Effect<void> =>
  Effect.forEach(
    [undefined, ...selected],
    (misbehavior) => Effect.flatMap(measure(misbehavior, requests), onResult),
    { discard: true }
  )

const measure = (misbehavior: Misbehavior | undefined, requests: number): Effect.Effect<IsolationResult> =>
  Effect.scoped(Effect.gen(function*() {
    const upstream = yield* forkProgram("stubServer", bodies)
    const { port } = yield* QuarryProxy.startProxy(`http://127.0.0.1:${upstream.port}`, {
      clients: Object.entries(tokens).map(([name, token]) => ({
        ...QuarryProxy.clientConfig(name, token),
        ...(name === "noisy" && misbehavior?.rateLimit !== undefined
          ? { rateLimit: misbehavior.rateLimit }
          : {})
      }))
    })
    yield* Load.run(
      {
        port,
        connections: ServerSubject.connections,
        next: nextUncached,
        isCorrect: ({ status }) => status === 200
      },
      ServerSubject.measureOptions.warmUpIterations
    )
    if (misbehavior !== undefined) {
      yield* forkProcess(pathTo("packages/bench/dist/bench.js"), ["noise", misbehavior.name, `${port}`])
      yield* Effect.sleep(leadIn)
    }
    return { name: misbehavior?.name ?? "undisturbed", ...yield* measureClients(port, requests) }
  }))

/** Behaves badly until the parent process disconnects. A process of its own, so that it does not delay the other clients. */
export const makeNoise = (misbehavior: Misbehavior, port: number): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => {
      start(misbehavior, port, {
        token: tokens.noisy,
        path: `${paths.noisy}?chain=eth`,
        largePath: `${paths.large}?chain=eth`,
        hangingPath: `${paths.hanging}?chain=eth`
      })
      process.once("disconnect", () => process.exit())
    }),
    Effect.never
  )

let sequence = 0

const nextUncached = () => formatGet(`${paths.uncached}?n=${++sequence}`, { "x-api-key": tokens.uncached })

const measureClients = (port: number, requests: number) =>
  Effect.all({
    cached: measureClient(port, requests, () => formatGet(paths.cached, { "x-api-key": tokens.cached })),
    uncached: measureClient(port, requests, nextUncached)
  }, { concurrency: "unbounded" })

const measureClient = (port: number, requests: number, next: () => string): Effect.Effect<ClientLatency> =>
  Effect.promise(async () => {
    const latencies: Array<number> = []
    let failures = 0
    let connection = openConnection(port)
    for (let count = 0; count < requests; count++) {
      const startedAt = performance.now()
      try {
        const { status } = await (await connection).send(next())
        if (status !== 200) failures += 1
      } catch {
        failures += 1
        connection = openConnection(port)
      }
      latencies.push(performance.now() - startedAt)
    }
    await connection.then(({ close }) => close(), () => {})
    latencies.sort((a, b) => a - b)
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), failures }
  })

/** Returns a quantile of sorted values. */
export const quantile = (sorted: ReadonlyArray<number>, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN

const nameWidth = Math.max(...misbehaviors.map(({ name }) => name.length))

const formatClient = ({ failures, p50, p99 }: ClientLatency): string =>
  `${p50.toFixed(1).padStart(8)}${p99.toFixed(1).padStart(8)}${String(failures).padStart(10)}`

export const header = `${
  "milliseconds".padEnd(nameWidth)
}   cached: p50     p99  failures   uncached: p50     p99  failures`

export const formatResult = ({ cached, name, uncached }: IsolationResult): string =>
  `${name.padEnd(nameWidth)}      ${formatClient(cached)}       ${formatClient(uncached)}`
