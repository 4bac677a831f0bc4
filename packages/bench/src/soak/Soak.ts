/**
 * The soak test: runs the proxy in front of a faulty upstream, under load from two clients that sometimes disconnect, while
 * a third client behaves badly in turns. Checks every response of the first two, and the memory and open files of the proxy.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { PCGRandom } from "effect/Utils"
import type { SoakOptions } from "../Arguments.ts"
import * as Misbehavior from "../isolation/Misbehavior.ts"
import * as Load from "../Load.ts"
import { type ResourceUsage, resourceUsage } from "../Processes.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import { startUpstream } from "../Servers.ts"
import type { CheckResult } from "./CheckResponse.ts"
import { bodies, type EntityTags, nextRequest, type SoakRequest } from "./SoakRequest.ts"
import { leaksFiles, makeSoakStats, recordResult, type Sample, type SoakStats } from "./SoakStats.ts"

export interface SoakProgress {
  readonly stats: SoakStats
  readonly seconds: number
  readonly sample: Sample
}

export interface SoakResult {
  readonly stats: SoakStats
  readonly seconds: number
  /** The number of upstream requests. */
  readonly upstreamRequestCount: number
  readonly clients: ReadonlyArray<ClientUsage>
  readonly samples: ReadonlyArray<Sample>
  /** The resource usage of the proxy before the first request, and idle after the last one. */
  readonly before: ResourceUsage
  readonly after: ResourceUsage
}

/** What the proxy counted for a client. */
interface ClientUsage {
  readonly name: string
  readonly requests: number
  readonly rejected: number
  /** Units charged by the upstream. */
  readonly upstreamCost: number
}

/** The maximum time until the proxy has ended calls to a hanging upstream, and has closed idle upstream connections. */
const settleSeconds = 40

/** Small enough that the cache constantly evicts entries. */
const maxBytes = "16MiB"

/** The clients whose responses are checked. */
export const checkedClients = ["first", "second"]

const noisyClient = "noisy"

const tokenOf = (client: string): string => `token of the ${client} client`

/** How long the third client behaves badly in one way, and the pause before the next. */
const [noiseDuration, noisePause] = ["250 millis", "1 second"] as const

const pathOf = (digit: string): string => `/api/v2.2/0x${digit.repeat(40)}/erc20/transfers`

const hangingPath = pathOf("f")

/** Behaves badly in all ways, one after the other, until it is interrupted. */
const makeNoise = (port: number): Effect.Effect<never> => {
  const requests = {
    token: tokenOf(noisyClient),
    path: `${pathOf("a")}?limit=10&chain=eth`,
    largePath: `${pathOf("b")}?limit=100&chain=eth`,
    hangingPath: `${hangingPath}?limit=10&chain=eth`
  }
  return Effect.forever(Effect.forEach(Misbehavior.misbehaviors, (misbehavior) =>
    Effect.acquireUseRelease(
      Effect.sync(() => Misbehavior.start(misbehavior, port, requests)),
      () => Effect.sleep(noiseDuration),
      (stop) => Effect.sync(stop)
    ).pipe(Effect.zipRight(Effect.sleep(noisePause))), { discard: true }))
}

const readUsage = (adminPort: number): Effect.Effect<ReadonlyArray<ClientUsage>> =>
  Effect.promise(async () => {
    const { close, send } = Load.connection(adminPort)
    const response = await send({ target: "/usage" })
    close()
    if (response instanceof Error) throw response
    const { clients }: { readonly clients: ReadonlyArray<ClientUsage> } = JSON.parse(response.body.toString())
    return clients
  })

/** Calls `onProgress` 200 times in total. */
export const runSoak = (
  { connections, faults, requests }: typeof SoakOptions.Type,
  onProgress: (progress: SoakProgress) => void
): Effect.Effect<SoakResult> =>
  Effect.gen(function*() {
    const hanging = { [hangingPath]: null }
    const upstream = yield* startUpstream({ bodies: { ...bodies, ...hanging }, faults })
    const proxy = yield* QuarryProxy.start(upstream.baseUrl, {
      clients: [...checkedClients, noisyClient].map((name) => QuarryProxy.clientConfig(name, tokenOf(name))),
      cache: { maxBytes },
      // All connections of a client may stream a list.
      limits: { maxListsPerClient: connections }
    })
    const usage = Effect.sync(() => resourceUsage(proxy.pid))
    const before = yield* usage
    const clock = yield* Effect.clock
    const startedAt = clock.unsafeCurrentTimeMillis()
    const elapsed = () => (clock.unsafeCurrentTimeMillis() - startedAt) / 1000
    const stats = makeSoakStats()
    const samples: Array<Sample> = []
    const sampleInterval = Math.max(1, Math.floor(requests / 200))
    const onResponse = (response: Load.Response | Error, _: number, request: SoakRequest) => {
      if (request.disconnectAfter === undefined) recordResult(stats, checkResponse(request, response))
      else stats.disconnected += 1
      stats.completed += 1
      if (stats.completed % sampleInterval > 0) return
      const sample = { completed: stats.completed, ...resourceUsage(proxy.pid) }
      samples.push(sample)
      onProgress({ stats, sample, seconds: elapsed() })
    }
    const random = new PCGRandom(1)
    const tags: EntityTags = new Map()
    let sequence = 0
    /** The clients share the requests, so that one that is starved sends fewer. */
    const next = (connection: number) => {
      const request = nextRequest(random, sequence++, tags)
      const client = checkedClients[connection % checkedClients.length] ?? ""
      return { ...request, headers: { ...request.headers, "x-api-key": tokenOf(client) } }
    }
    const noise = yield* Effect.fork(makeNoise(proxy.port))
    yield* Load.send({ port: proxy.port, connections, next, onResponse }, requests)
    const seconds = elapsed()
    yield* Fiber.interrupt(noise)
    const clients = yield* readUsage(proxy.adminPort)
    // At rest, or after `settleSeconds`
    const after = yield* Effect.repeat(Effect.delay(usage, "1 second"), {
      until: (now) => !leaksFiles(before, now),
      times: settleSeconds
    })
    const upstreamRequestCount = yield* upstream.requestCount
    return { stats, seconds, upstreamRequestCount, clients, samples, before, after }
  }).pipe(Effect.scoped)

const checkResponse = ({ check, target }: SoakRequest, response: Load.Response | Error): CheckResult => {
  const result: CheckResult = response instanceof Error
    ? { verdict: "incorrect", reason: "no response" }
    : check(response)
  return result.verdict === "incorrect"
    ? { ...result, reason: `${result.reason}: ${target} got ${Load.describe(response)}` }
    : result
}
