/**
 * The soak test: runs the proxy in front of a faulty upstream, under load from two clients that sometimes disconnect, while
 * a third client behaves badly in turns. Checks every response of the first two, and the memory and open files of the proxy.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { PCGRandom } from "effect/Utils"
import * as Misbehavior from "../isolation/Misbehavior.ts"
import * as Load from "../Load.ts"
import { type ResourceUsage, resourceUsage } from "../Processes.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import { startUpstream } from "../Servers.ts"
import { bodies, nextRequest, type SoakRequest } from "./SoakRequest.ts"

export interface SoakOptions {
  readonly requests: number
  readonly connections: number
  /** The ratio of upstream requests that fail. */
  readonly faults: number
  /** Further connections, which send nothing. */
  readonly silent: number
}

/** What a soak test counts. */
export interface SoakStats {
  /** Completed requests. */
  completed: number
  /** Correct responses by form, expected errors, and requests that the client cancelled. */
  readonly counts: Map<string, number>
  incorrect: number
  /** Requests without any response. */
  lost: number
  /** The reasons of the first incorrect responses. */
  readonly problems: Array<string>
}

export const makeSoakStats = (): SoakStats => ({
  completed: 0,
  counts: new Map(),
  incorrect: 0,
  lost: 0,
  problems: []
})

export interface SoakResult {
  readonly stats: SoakStats
  readonly seconds: number
  /** The number of upstream requests. */
  readonly upstreamRequestCount: number
  /** The resource usage of the proxy, regularly during the requests. */
  readonly samples: ReadonlyArray<ResourceUsage>
  /** The same before the first request, and idle after the last one. */
  readonly before: ResourceUsage
  readonly after: ResourceUsage
}

const maxProblems = 5

/** Counts a response. */
const recordResponse = (
  stats: SoakStats,
  { check, disconnectAfter, target }: SoakRequest,
  response: Load.Response | Error
): void => {
  stats.completed += 1
  const truncated = response instanceof Load.TruncatedError
  const received = truncated ? response.response : response
  const result = disconnectAfter !== undefined
    ? Either.right("client disconnects")
    : received instanceof Error
    ? Either.left("no response")
    : check(received, truncated)
  if (Either.isRight(result)) {
    stats.counts.set(result.right, (stats.counts.get(result.right) ?? 0) + 1)
    return
  }
  if (received instanceof Error) stats.lost += 1
  else stats.incorrect += 1
  if (stats.problems.length === maxProblems) return
  stats.problems.push(`${result.left}: ${target} got ${Load.describe(response)}`)
}

/** The number of additional files that a process may keep open. */
const spareFiles = 4

/** Returns whether an idle process has more open files than before the requests. */
export const leaksFiles = (before: ResourceUsage, after: ResourceUsage): boolean =>
  after.files > before.files + spareFiles

/** The maximum time until the proxy has ended calls to a hanging upstream, and has closed idle upstream connections. */
const settleSeconds = 20

/** Small enough that the cache constantly evicts entries. */
const maxBytes = "16MiB"

/** Short, so that calls to a hanging upstream end soon. */
const timeouts = { attempt: "2s", call: "4s" }

/** The clients whose responses are checked. */
const checkedClients = ["first", "second"]

/** Behaves badly in all ways, each for a while with a pause after it, until the scope closes. */
const makeNoise = (port: number) =>
  Effect.forkScoped(
    Effect.forever(Effect.forEach(Misbehavior.misbehaviors, (misbehavior) =>
      Effect.acquireUseRelease(
        Effect.sync(() => Misbehavior.start(misbehavior, port)),
        () => Effect.sleep("250 millis"),
        (stop) => Effect.sync(stop)
      ).pipe(Effect.zipRight(Effect.sleep("1 second"))), { discard: true }))
  )

/** Takes about 200 samples, and calls `onProgress` with the number of completed requests at each. */
export const runSoak = (
  { connections, faults, requests, silent }: SoakOptions,
  onProgress: (completed: number) => void
): Effect.Effect<SoakResult> =>
  Effect.gen(function*() {
    const upstream = yield* startUpstream({
      bodies: { ...bodies, [Misbehavior.noisyPaths.hanging]: null },
      faults
    })
    const proxy = yield* QuarryProxy.start(upstream.baseUrl, {
      clients: [...checkedClients, Misbehavior.noisyClient].map((name) =>
        QuarryProxy.clientConfig(name, Misbehavior.tokenOf(name))
      ),
      cache: { maxBytes },
      upstream: { timeouts },
      // All connections of a client may stream a list.
      limits: { maxListsPerClient: connections }
    })
    const usage = Effect.sync(() => resourceUsage(proxy.pid))
    const before = yield* usage
    const stats = makeSoakStats()
    const samples: Array<ResourceUsage> = []
    const onResponse = (response: Load.Response | Error, _: number, request: SoakRequest) => {
      recordResponse(stats, request, response)
      if (stats.completed % Math.ceil(requests / 200) > 0) return
      samples.push(resourceUsage(proxy.pid))
      onProgress(stats.completed)
    }
    const silence = { name: "silence", connections: silent, reads: true, text: () => "" }
    const random = new PCGRandom(1)
    let sequence = 0
    const next = (connection: number) => {
      const request = nextRequest(random, sequence++)
      const client = checkedClients[connection % checkedClients.length] ?? ""
      return { ...request, headers: { ...request.headers, "x-api-key": Misbehavior.tokenOf(client) } }
    }
    const [duration] = yield* Effect.timed(Effect.scoped(Effect.all([
      Effect.acquireRelease(
        Effect.sync(() => Misbehavior.start(silence, proxy.port)),
        (stop) => Effect.sync(stop)
      ),
      makeNoise(proxy.port),
      Load.send({ port: proxy.port, connections, next, onResponse }, requests)
    ])))
    // At rest, or after `settleSeconds`
    const after = yield* Effect.repeat(Effect.delay(usage, "1 second"), {
      until: (now) => !leaksFiles(before, now),
      times: settleSeconds
    })
    const upstreamRequestCount = yield* upstream.requestCount
    return { stats, seconds: Duration.toSeconds(duration), upstreamRequestCount, samples, before, after }
  }).pipe(Effect.scoped)
