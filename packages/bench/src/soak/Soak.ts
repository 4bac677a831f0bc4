/**
 * A soak: the proxy before a service that fails, asked for minutes by clients of which some go away. Every answer is
 * looked at, and so is what the proxy holds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { forkProgram } from "../ChildProgram.ts"
import { type Connection, formatGet, headerOf, openConnection } from "../Connection.ts"
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
  /** The part of requests to the service that fail. */
  readonly faults: number
  /** Told now and then. */
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
  /** How often the service was asked. */
  readonly upstreamRequestCount: number
  readonly samples: ReadonlyArray<Sample>
  /** What the proxy held before the first request, and when it had come to rest after the last. */
  readonly before: ProcessStats.ResourceUsage
  readonly after: ProcessStats.ResourceUsage
}

/** The part of requests that are given up before their answer, and of answers after which the connection is cut. */
const [disconnectShare, reconnectShare] = [0.01, 0.005]

/** How long a client that gives up waits at most, in milliseconds. */
const maxDisconnectDelay = 20

/** Connections to the service that are not used are closed after seconds. */
const settleSeconds = 20

/** So small that answers have to make room for others all the time. */
const maxBytes = "16MiB"

const tokens = { first: "a token of the first client", second: "a token of the second client" }

export const runSoak = ({ connections, faults, onProgress, requests }: SoakOptions) =>
  Effect.gen(function*() {
    const service = yield* forkProgram("faultyServer", { templates, faults })
    const proxy = yield* QuarryProxy.startProxy(`http://127.0.0.1:${service.port}`, {
      clients: Object.entries(tokens).map(([name, token]) => QuarryProxy.clientConfig(name, token)),
      cache: { maxBytes }
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
      const chances = {
        kind: yield* Random.next,
        unique: yield* Random.next,
        popularity: yield* Random.next
      }
      return SoakRequest.nextRequest(chances, started++, etags)
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
    yield* Effect.forEach(
      Array.from({ length: connections }, (_, index) => index % 2 === 0 ? tokens.first : tokens.second),
      runClient,
      { concurrency: "unbounded", discard: true }
    )
    const seconds = yield* elapsed
    const after = yield* usageAtRest(proxy.pid, before)
    return {
      stats,
      seconds,
      upstreamRequestCount: Number(yield* service.sendMessage),
      samples,
      before,
      after
    } satisfies SoakResult
  }).pipe(Effect.scoped)

/** What a process holds once it holds no more than before, or has had its time. */
const usageAtRest = (
  pid: number,
  before: ProcessStats.ResourceUsage
): Effect.Effect<ProcessStats.ResourceUsage> =>
  Effect.zipRight(Effect.sleep("1 second"), ProcessStats.resourceUsage(pid)).pipe(
    Effect.repeat({ until: (now) => !leaksFiles(before, now), times: settleSeconds })
  )

/** One client, which connects when it has to. */
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

  /** Asks, and goes away after so many milliseconds, perhaps in the middle of the answer. */
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
      const wrong: CheckResult = {
        verdict: "incorrect",
        problem: `${target} got no answer: ${String(error)}`
      }
      return Either.left(wrong)
    }
  }
}
