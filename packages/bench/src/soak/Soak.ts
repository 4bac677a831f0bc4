/**
 * The soak test: runs the proxy in front of a faulty upstream, under load from two clients that sometimes disconnect, while
 * a third client behaves badly in turns. Checks every response of the first two, and the memory and open files of the proxy.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { forkProgram } from "../ChildProgram.ts"
import { type Connection, formatGet, headerOf, openConnection } from "../Connection.ts"
import * as Misbehavior from "../isolation/Misbehavior.ts"
import * as ProcessStats from "../ProcessStats.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import type { CheckResult } from "./CheckResponse.ts"
import { EntityTags } from "./EntityTags.ts"
import { templates } from "./ExpectedResponse.ts"
import { leaksFiles, type Sample } from "./Samples.ts"
import * as SoakRequest from "./SoakRequest.ts"
import * as SoakStats from "./SoakStats.ts"

export interface SoakOptions {
  readonly requests: number
  readonly connections: number
  /** The ratio of upstream requests that fail. */
  readonly faults: number
  /** Called 200 times in total. */
  readonly onProgress: (progress: SoakProgress) => Effect.Effect<void>
}

export interface SoakProgress {
  readonly stats: SoakStats.SoakStats
  readonly seconds: number
  readonly sample: Sample
}

export interface SoakResult {
  readonly stats: SoakStats.SoakStats
  readonly seconds: number
  /** The number of upstream requests. */
  readonly upstreamRequestCount: number
  readonly clients: ReadonlyArray<ClientUsage>
  readonly samples: ReadonlyArray<Sample>
  /** The resource usage of the proxy before the first request, and idle after the last one. */
  readonly before: ProcessStats.ResourceUsage
  readonly after: ProcessStats.ResourceUsage
}

/** What the proxy counted for a client. */
export interface ClientUsage {
  readonly name: string
  readonly requests: number
  readonly rejected: number
  /** Units charged by the upstream. */
  readonly upstreamCost: number
}

/** The ratio of requests that the client cancels, and of responses after which it closes the connection. */
const [disconnectShare, reconnectShare] = [0.01, 0.005]

/** The maximum time before a client cancels, in milliseconds. */
const maxDisconnectDelay = 20

/** The maximum time until the proxy has ended calls to a hanging upstream, and has closed idle upstream connections. */
const settleSeconds = 40

/** Small enough that the cache constantly evicts entries. */
const maxBytes = "16MiB"

const tokens = {
  first: "token of the first client",
  second: "token of the second client",
  noisy: "token of the noisy client"
}

/** The clients whose responses are checked. */
export const checkedClients: ReadonlyArray<string> = ["first", "second"]

/** How long the third client behaves badly in one way, and the pause before the next. */
const [noiseDuration, noisePause] = ["250 millis", "1 second"] as const

const pathOf = (digit: string, limit: number): string =>
  `/api/v2.2/0x${digit.repeat(40)}/erc20/transfers?limit=${limit}&chain=eth`

const noisyRequests: Misbehavior.NoisyRequests = {
  token: tokens.noisy,
  path: pathOf("a", 10),
  largePath: pathOf("b", 100),
  hangingPath: pathOf("f", 10)
}

/** Behaves badly in all ways, one after the other, until it is interrupted. */
const makeNoise = (port: number): Effect.Effect<never> =>
  Effect.forever(Effect.forEach(Misbehavior.misbehaviors, (misbehavior) =>
    Effect.acquireUseRelease(
      Effect.sync(() => Misbehavior.start(misbehavior, port, noisyRequests)),
      () => Effect.sleep(noiseDuration),
      (stop) => Effect.sync(stop)
    ).pipe(Effect.zipRight(Effect.sleep(noisePause))), { discard: true }))

const readUsage = (adminPort: number): Effect.Effect<ReadonlyArray<ClientUsage>> =>
  Effect.promise(async () => {
    const connection = await openConnection(adminPort)
    const { body } = await connection.send(formatGet("/usage"))
    connection.close()
    const { clients }: { readonly clients: ReadonlyArray<ClientUsage> } = JSON.parse(body.toString())
    return clients
  })

export const runSoak = ({ connections, faults, onProgress, requests }: SoakOptions) =>
  Effect.gen(function*() {
    const upstream = yield* forkProgram("faultyServer", { templates, faults })
    const proxy = yield* QuarryProxy.startProxy(`http://127.0.0.1:${upstream.port}`, {
      clients: Object.entries(tokens).map(([name, token]) => QuarryProxy.clientConfig(name, token)),
      cache: { maxBytes },
      // All connections of a client may stream a list.
      limits: { maxListsPerClient: connections }
    })
    const before = yield* ProcessStats.resourceUsage(proxy.pid)
    const startTime = yield* Clock.currentTimeMillis
    const elapsed = Effect.map(Clock.currentTimeMillis, (now) => (now - startTime) / 1000)
    const stats = SoakStats.makeSoakStats()
    const samples: Array<Sample> = []
    const sampleInterval = Math.max(1, Math.floor(requests / 200))
    const onComplete = Effect.suspend(() => {
      stats.completed += 1
      return stats.completed % sampleInterval === 0 ? takeSample : Effect.void
    })
    const takeSample = Effect.gen(function*() {
      const sample = { completed: stats.completed, ...yield* ProcessStats.resourceUsage(proxy.pid) }
      samples.push(sample)
      yield* onProgress({ stats, sample, seconds: yield* elapsed })
    })
    const etags = new EntityTags()
    let started = 0
    const nextRequest = Effect.gen(function*() {
      const draws = {
        kind: yield* Random.next,
        unique: yield* Random.next,
        popularity: yield* Random.next
      }
      return SoakRequest.nextRequest(draws, started++, etags)
    })
    const runClient = (token: string) =>
      Effect.gen(function*() {
        const client = new SoakClient(proxy.port, token)
        while (started < requests) {
          const soakRequest = yield* nextRequest
          if ((yield* Random.next) < disconnectShare) {
            yield* client.sendAndDisconnect(soakRequest, (yield* Random.next) * maxDisconnectDelay)
            stats.disconnected += 1
          } else {
            SoakStats.recordResult(stats, yield* client.send(soakRequest))
            if ((yield* Random.next) < reconnectShare) client.close()
          }
          yield* onComplete
        }
        client.close()
      })
    const noise = yield* Effect.fork(makeNoise(proxy.port))
    yield* Effect.forEach(
      Array.from({ length: connections }, (_, index) => index % 2 === 0 ? tokens.first : tokens.second),
      runClient,
      { concurrency: "unbounded", discard: true }
    )
    const seconds = yield* elapsed
    yield* Fiber.interrupt(noise)
    const clients = yield* readUsage(proxy.adminPort)
    const after = yield* usageAtRest(proxy.pid, before)
    return {
      stats,
      seconds,
      upstreamRequestCount: Number(yield* upstream.sendMessage),
      clients,
      samples,
      before,
      after
    } satisfies SoakResult
  }).pipe(Effect.scoped)

/** Returns the resource usage when no files are leaked, or after `settleSeconds`. */
const usageAtRest = (
  pid: number,
  before: ProcessStats.ResourceUsage
): Effect.Effect<ProcessStats.ResourceUsage> =>
  Effect.zipRight(Effect.sleep("1 second"), ProcessStats.resourceUsage(pid)).pipe(
    Effect.repeat({ until: (now) => !leaksFiles(before, now), times: settleSeconds })
  )

/** A client that connects on demand. */
class SoakClient {
  private connection: Connection | undefined
  private readonly port: number
  private readonly token: string

  constructor(port: number, token: string) {
    this.port = port
    this.token = token
  }

  send(soakRequest: SoakRequest.SoakRequest): Effect.Effect<CheckResult> {
    return Effect.promise(async () => {
      const response = await this.request(soakRequest)
      if (Either.isLeft(response)) return response.left
      if (/close/i.test(headerOf(response.right, "connection") ?? "")) this.close()
      return soakRequest.check(response.right)
    })
  }

  /** Sends a request and disconnects after some milliseconds, possibly in the middle of the response. */
  sendAndDisconnect(soakRequest: SoakRequest.SoakRequest, millis: number): Effect.Effect<void> {
    return Effect.raceFirst(
      Effect.promise(() => this.request(soakRequest)),
      Effect.sleep(millis)
    ).pipe(Effect.zipRight(Effect.sync(() => this.close())))
  }

  close(): void {
    this.connection?.close()
    this.connection = undefined
  }

  private async request({ headers, target }: SoakRequest.SoakRequest) {
    try {
      this.connection ??= await openConnection(this.port)
      const request = formatGet(target, { ...headers, "x-api-key": this.token })
      return Either.right(await this.connection.send(request))
    } catch (error) {
      this.close()
      const result: CheckResult = { verdict: "incorrect", reason: `${target}: no response: ${String(error)}` }
      return Either.left(result)
    }
  }
}
