/** One cell of the matrix: an operation that meets a fault, then a service that is well, then the fault again. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as Override from "@blockquarry/http/Override"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Supervisor from "effect/Supervisor"
import * as Clients from "../../support/Clients.ts"
import type { Example } from "../../support/Examples.ts"
import * as Witness from "../../support/Witness.ts"
import { maxBodySize } from "./bodies.ts"
import type { FaultServer, Place } from "./FaultServer.ts"
import * as Hourglass from "./Hourglass.ts"
import * as Leaks from "./Leaks.ts"
import * as Row from "./Row.ts"
import * as Store from "./Store.ts"
import { turnsLater, until } from "./Wait.ts"

/** How a call went. */
export interface Seen {
  /** "ok", the tag of the failure, or what it was that is no failure. */
  readonly tag: string
  readonly value: unknown
  /** What the failure says. */
  readonly facts: Readonly<Record<string, unknown>>
  /** How many requests were sent, and how many arrived. */
  readonly sent: number
  readonly received: number
  readonly millis: number
}

/** How a cell went: `stale` is the last call, where there is a stale answer. */
export interface Cell {
  readonly fault: Seen
  readonly next: Seen
  readonly stale: Seen | null
  /** Where the key was seen. */
  readonly leaks: ReadonlyArray<string>
}

/** Whether there is a stale answer in the end. */
const isKept = ({ next }: Row.Row, example: Example, cached: boolean): boolean =>
  isCached(example, cached) && next !== "paused" && next !== "same"

export const isCached = (example: Example, cached: boolean): boolean => cached && example.method === "GET"

const factsOf = (error: object): Readonly<Record<string, unknown>> => {
  const { _tag, request: _, ...facts }: { readonly _tag?: unknown; readonly request?: unknown } = { ...error }
  return { ...facts }
}

const describe = (exit: Exit.Exit<unknown, Error & { readonly _tag: string }>) => {
  if (Exit.isSuccess(exit)) return { tag: "ok", value: exit.value, facts: {} }
  // A failure and nothing beside it: no defect, no interruption.
  return exit.cause._tag === "Fail"
    ? { tag: exit.cause.error._tag, value: null, facts: factsOf(exit.cause.error) }
    : { tag: `defect: ${Cause.pretty(exit.cause)}`, value: null, facts: {} }
}

/** Makes a call, and waits until nothing of it is left: no fiber, no request. */
const watched = (
  call: ReturnType<Example["ask"]>,
  witness: Witness.Witness,
  place: Place,
  exits: Array<Exit.Exit<unknown, Error>>
): Effect.Effect<Seen> =>
  Effect.gen(function*() {
    const received = place.received
    const attempts = () => witness.spans.filter(({ name }) => name === Telemetry.attemptSpan).length
    const before = attempts()
    const supervisor = yield* Supervisor.track
    const begun = yield* Clock.currentTimeMillis
    const exit = yield* witness.of(Effect.exit(call)).pipe(Effect.supervised(supervisor))
    const ended = yield* Clock.currentTimeMillis
    exits.push(exit)
    const left = () => Effect.runSync(supervisor.value).length
    yield* until("the end of all fibers", () => left() === 0)
    yield* until("the end of all requests", () => place.pending === 0)
    return {
      ...describe(exit),
      sent: attempts() - before,
      received: place.received - received,
      millis: ended - begun
    }
  })

/** Plays a cell. */
export const play = (
  row: Row.Row,
  example: Example,
  cached: boolean,
  server: FaultServer
): Effect.Effect<Cell, never, HttpClient.HttpClient> =>
  Effect.suspend(() => {
    const place = server.place(JSON.stringify(example.document))
    const { clock, turnOver } = Hourglass.make()
    // Some turns later, so that what was sent has arrived.
    place.silent = () => turnsLater(10, turnOver)
    return Effect.withClock(scenes(row, example, cached, server, place), clock)
  }).pipe(
    Effect.provide(Logger.remove(Logger.defaultLogger)),
    // No call takes nearly as long; one that hangs must not hang the tests.
    Effect.timeoutFail({
      duration: Duration.seconds(100),
      onTimeout: () => new Error(`${row.name} hangs in ${example.id}`)
    }),
    Effect.orDie
  )

/** What a cell consists of. */
const scenes = (
  row: Row.Row,
  example: Example,
  cached: boolean,
  server: FaultServer,
  place: Place
): Effect.Effect<Cell, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const store = Store.make()
    const witness = Witness.make()
    const exits: Array<Exit.Exit<unknown, Error>> = []
    const clients = yield* Clients.over(yield* HttpClient.HttpClient, {
      baseUrl: row.nowhere === undefined ? place.url : server.nowhere[row.nowhere],
      cache: cached ? ResponseCache.standard : ResponseCache.none,
      retry: Clients.atOnce(row.attempts ?? Row.attempts),
      timeouts: row.timeouts ?? Row.timeouts,
      maxBodySize
    }).pipe(Effect.provideService(CacheStore.CacheStore, store.service))
    const ask = watched(example.ask(clients), witness, place, exits)

    place.answer = row.answer
    const fault = yield* ask
    place.answer = null
    const next = yield* row.next === "reload" ? Override.effect({ cacheMode: "reload" })(ask) : ask
    yield* store.age
    place.answer = row.answer
    const stale = isKept(row, example, cached) ? yield* ask : null
    return { fault, next, stale, leaks: [...place.strays, ...Leaks.find(exits, witness)] }
  })
