/**
 * A soak: the proxy before a service that fails, asked for minutes by clients of which some go away. Every answer is
 * looked at, and so is what the proxy holds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { forked } from "../Child.ts"
import { connect, type Connection, get, header } from "../Connection.ts"
import * as Process from "../Process.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as Asking from "./Asking.ts"
import type { Outcome } from "./Check.ts"
import { templates } from "./Question.ts"
import { holdsMore, type Sample } from "./Samples.ts"
import { Tags } from "./Tags.ts"
import * as Tally from "./Tally.ts"

export interface Options {
  readonly requests: number
  readonly connections: number
  /** The part of requests to the service that fail. */
  readonly faults: number
  /** Told now and then. */
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

export interface Progress {
  readonly tally: Tally.Tally
  readonly seconds: number
  readonly sample: Sample
}

export interface Outcomes {
  readonly tally: Tally.Tally
  readonly seconds: number
  /** How often the service was asked. */
  readonly asked: number
  readonly samples: ReadonlyArray<Sample>
  /** What the proxy held before the first request, and when it had come to rest after the last. */
  readonly before: Process.Holding
  readonly after: Process.Holding
}

/** The part of requests that are given up before their answer, and of answers after which the connection is cut. */
const [hangsUp, cuts] = [0.01, 0.005]

/** How long a client that gives up waits at most, in milliseconds. */
const patience = 20

/** Connections to the service that are not used are closed after seconds. */
const restsAfter = 20

/** So small that answers have to make room for others all the time. */
const maxBytes = "16MiB"

const tokens = { first: "a token of the first client", second: "a token of the second client" }

export const run = ({ connections, faults, onProgress, requests }: Options) =>
  Effect.gen(function*() {
    const service = yield* forked("faulty", { templates, faults })
    const proxy = yield* QuarryProxy.start(`http://127.0.0.1:${service.port}`, {
      clients: Object.entries(tokens).map(([name, token]) => QuarryProxy.client(name, token)),
      cache: { maxBytes }
    })
    const before = yield* Process.holding(proxy.pid)
    const began = yield* Clock.currentTimeMillis
    const elapsed = Effect.map(Clock.currentTimeMillis, (now) => (now - began) / 1000)
    const tally = Tally.make()
    const samples: Array<Sample> = []
    const every = Math.max(1, Math.floor(requests / 200))
    const over = Effect.suspend(() => {
      tally.done += 1
      return tally.done % every === 0 ? look : Effect.void
    })
    const look = Effect.gen(function*() {
      const sample = { done: tally.done, ...yield* Process.holding(proxy.pid) }
      samples.push(sample)
      yield* onProgress({ tally, sample, seconds: yield* elapsed })
    })
    const tags = new Tags()
    let begun = 0
    const nextOne = Effect.gen(function*() {
      const chances = {
        kind: yield* Random.next,
        unique: yield* Random.next,
        popularity: yield* Random.next
      }
      return Asking.next(chances, begun++, tags)
    })
    const loop = (token: string) =>
      Effect.gen(function*() {
        const client = new Client(proxy.port, token)
        while (begun < requests) {
          const asking = yield* nextOne
          if ((yield* Random.next) < hangsUp) {
            yield* client.giveUp(asking, (yield* Random.next) * patience)
            tally.hungUp += 1
          } else {
            Tally.add(tally, yield* client.ask(asking))
            if ((yield* Random.next) < cuts) client.hangUp()
          }
          yield* over
        }
        client.hangUp()
      })
    yield* Effect.forEach(
      Array.from({ length: connections }, (_, index) => index % 2 === 0 ? tokens.first : tokens.second),
      loop,
      { concurrency: "unbounded", discard: true }
    )
    const seconds = yield* elapsed
    const after = yield* atRest(proxy.pid, before)
    return { tally, seconds, asked: Number(yield* service.ask), samples, before, after } satisfies Outcomes
  }).pipe(Effect.scoped)

/** What a process holds once it holds no more than before, or has had its time. */
const atRest = (pid: number, before: Process.Holding): Effect.Effect<Process.Holding> =>
  Effect.zipRight(Effect.sleep("1 second"), Process.holding(pid)).pipe(
    Effect.repeat({ until: (now) => !holdsMore(before, now), times: restsAfter })
  )

/** One client, which connects when it has to. */
class Client {
  private connection: Connection | undefined
  private readonly port: number
  private readonly token: string

  constructor(port: number, token: string) {
    this.port = port
    this.token = token
  }

  ask(asking: Asking.Asking): Effect.Effect<Outcome> {
    return Effect.promise(async () => {
      const answer = await this.send(asking)
      if (Either.isLeft(answer)) return answer.left
      if (/close/i.test(header(answer.right, "connection") ?? "")) this.hangUp()
      return asking.check(answer.right)
    })
  }

  /** Asks, and goes away after so many milliseconds, perhaps in the middle of the answer. */
  giveUp(asking: Asking.Asking, millis: number): Effect.Effect<void> {
    return Effect.raceFirst(
      Effect.promise(() => this.send(asking)),
      Effect.sleep(millis)
    ).pipe(Effect.zipRight(Effect.sync(() => this.hangUp())))
  }

  hangUp(): void {
    this.connection?.hangUp()
    this.connection = undefined
  }

  private async send({ headers, target }: Asking.Asking) {
    try {
      this.connection ??= await connect(this.port)
      const request = get(target, { ...headers, "x-api-key": this.token })
      return Either.right(await this.connection.ask(request))
    } catch (error) {
      this.hangUp()
      const wrong: Outcome = { is: "wrong", problem: `${target} got no answer: ${String(error)}` }
      return Either.left(wrong)
    }
  }
}
