/** One cell of the matrix: an operation that meets a fault, then a service that is well, then the fault again. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
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
import type { Example } from "../../support/Examples.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"
import * as AgingCacheStore from "./AgingCacheStore.ts"
import { maxBodySize } from "./BodyRows.ts"
import type { Endpoint, FaultServer } from "./FaultServer.ts"
import * as Leaks from "./Leaks.ts"
import * as Row from "./Row.ts"
import * as SkippingClock from "./SkippingClock.ts"
import { turnsLater, until } from "./Wait.ts"

/** How a call went. */
export interface CallResult {
  /** "ok", the tag of the failure, or what it was that is no failure. */
  readonly tag: string
  readonly value: unknown
  /** What the failure says. */
  readonly fields: Readonly<Record<string, unknown>>
  /** How many requests were sent, and how many arrived. */
  readonly sent: number
  readonly received: number
  readonly millis: number
}

/** How a cell went: `stale` is the last call, where there is a stale answer. */
export interface CellResult {
  readonly fault: CallResult
  readonly next: CallResult
  readonly stale: CallResult | null
  /** Where the key was seen. */
  readonly leaks: ReadonlyArray<string>
}

/** Whether there is a stale answer in the end. */
const hasStaleResponse = ({ next }: Row.Row, example: Example, cached: boolean): boolean =>
  isCached(example, cached) && next !== "paused" && next !== "same"

export const isCached = (example: Example, cached: boolean): boolean => cached && example.method === "GET"

const fieldsOf = (error: object): Readonly<Record<string, unknown>> => {
  const { _tag, request: _, ...fields }: { readonly _tag?: unknown; readonly request?: unknown } = {
    ...error
  }
  return { ...fields }
}

const describe = (exit: Exit.Exit<unknown, Error & { readonly _tag: string }>) => {
  if (Exit.isSuccess(exit)) return { tag: "ok", value: exit.value, fields: {} }
  // A failure and nothing beside it: no defect, no interruption.
  return exit.cause._tag === "Fail"
    ? { tag: exit.cause.error._tag, value: null, fields: fieldsOf(exit.cause.error) }
    : { tag: `defect: ${Cause.pretty(exit.cause)}`, value: null, fields: {} }
}

/** Makes a call, and waits until nothing of it is left: no fiber, no request. */
const observeCall = (
  operationCall: ReturnType<Example["call"]>,
  recorder: TelemetryRecorder.TelemetryRecorder,
  endpoint: Endpoint,
  exits: Array<Exit.Exit<unknown, Error>>
): Effect.Effect<CallResult> =>
  Effect.gen(function*() {
    const received = endpoint.received
    const attempts = () => recorder.spans.filter(({ name }) => name === Telemetry.attemptSpan).length
    const before = attempts()
    const supervisor = yield* Supervisor.track
    const startedAt = yield* Clock.currentTimeMillis
    const exit = yield* recorder.record(Effect.exit(operationCall)).pipe(Effect.supervised(supervisor))
    const endedAt = yield* Clock.currentTimeMillis
    exits.push(exit)
    const remainingFibers = () => Effect.runSync(supervisor.value).length
    yield* until("the end of all fibers", () => remainingFibers() === 0)
    yield* until("the end of all requests", () => endpoint.pending === 0)
    return {
      ...describe(exit),
      sent: attempts() - before,
      received: endpoint.received - received,
      millis: endedAt - startedAt
    }
  })

/** Plays a cell. */
export const runCell = (
  row: Row.Row,
  example: Example,
  cached: boolean,
  server: FaultServer
): Effect.Effect<CellResult, never, HttpClient.HttpClient> =>
  Effect.suspend(() => {
    const endpoint = server.addEndpoint(JSON.stringify(example.document))
    const { clock, skipToNextTimer } = SkippingClock.make()
    // Some turns later, so that what was sent has arrived.
    endpoint.onSilence = () => turnsLater(10, skipToNextTimer)
    return Effect.withClock(runCalls(row, example, cached, server, endpoint), clock)
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
const runCalls = (
  row: Row.Row,
  example: Example,
  cached: boolean,
  server: FaultServer,
  endpoint: Endpoint
): Effect.Effect<CellResult, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const store = AgingCacheStore.make()
    const recorder = TelemetryRecorder.make()
    const exits: Array<Exit.Exit<unknown, Error>> = []
    const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
      baseUrl: row.unreachableHost === undefined ? endpoint.url : server.unreachableUrls[row.unreachableHost],
      cache: cached ? ResponseCache.standard : ResponseCache.none,
      retry: TestClients.immediateRetries(row.attempts ?? Row.attempts),
      timeouts: row.timeouts ?? Row.timeouts,
      maxBodySize
    }).pipe(Effect.provideService(CacheStore.CacheStore, store.service))
    const call = observeCall(example.call(clients), recorder, endpoint, exits)

    endpoint.responder = row.responder
    const fault = yield* call
    endpoint.responder = null
    const next = yield* row.next === "reload"
      ? CallOptions.withCallOptions({ cacheMode: "reload" })(call)
      : call
    yield* store.makeStale
    endpoint.responder = row.responder
    const stale = hasStaleResponse(row, example, cached) ? yield* call : null
    return { fault, next, stale, leaks: [...endpoint.leaks, ...Leaks.find(exits, recorder)] }
  })
