/** A cell of the matrix: an operation during a fault, after the fault, and with a stale response during the fault. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Supervisor from "effect/Supervisor"
import type { Example } from "../../support/Examples.ts"
import { computedFields } from "../../support/Failures.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"
import * as AgingCacheStore from "./AgingCacheStore.ts"
import { maxBodySize } from "./BodyRows.ts"
import type { Endpoint, FaultServer } from "./FaultServer.ts"
import * as Leaks from "./Leaks.ts"
import * as Row from "./Row.ts"
import * as SkippingClock from "./SkippingClock.ts"
import { turnsLater, until } from "./Wait.ts"

/** The result of a call. */
export interface CallResult {
  /** "ok", the tag of the error, or a description of a defect. */
  readonly tag: string
  readonly value: unknown
  /** The fields of the error. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The number of requests that were sent and received. */
  readonly sent: number
  readonly received: number
  readonly millis: number
}

/** The results of a cell. `stale` is null if there is no stale response. */
export interface CellResult {
  readonly fault: CallResult
  readonly next: CallResult
  readonly stale: CallResult | null
  /** Where the API key leaked. */
  readonly leaks: ReadonlyArray<string>
}

/** Whether the last call has a stale response. */
const hasStaleResponse = ({ next }: Row.Row, example: Example, cached: boolean): boolean =>
  isCached(example, cached) && next !== "cooldown" && next !== "same"

export const isCached = (example: Example, cached: boolean): boolean => cached && example.method === "GET"

const fieldsOf = (error: object): Readonly<Record<string, unknown>> => {
  const { _tag, request: _, ...fields }: { readonly _tag?: unknown; readonly request?: unknown } = {
    ...error
  }
  // The status of an error that may have a response.
  const response = "response" in error && Predicate.isRecord(error.response) ? error.response : {}
  return { ...fields, ...response, ...computedFields(error) }
}

const describe = (exit: Exit.Exit<unknown, Error & { readonly _tag: string }>) => {
  if (Exit.isSuccess(exit)) return { tag: "ok", value: exit.value, fields: {} }
  // Only a typed error, without defects or interruptions.
  return exit.cause._tag === "Fail"
    ? { tag: exit.cause.error._tag, value: null, fields: fieldsOf(exit.cause.error) }
    : { tag: `defect: ${Cause.pretty(exit.cause)}`, value: null, fields: {} }
}

/** Makes a call, and waits until all its fibers and requests have ended. */
const observeCall = (
  operationCall: ReturnType<Example["call"]>,
  recorder: TelemetryRecorder.TelemetryRecorder,
  endpoint: Endpoint,
  exits: Array<Exit.Exit<unknown, Error>>
): Effect.Effect<CallResult> =>
  Effect.gen(function*() {
    const received = endpoint.received
    const attempts = () => recorder.spans.filter(({ kind }) => kind === "client").length
    const before = attempts()
    const supervisor = yield* Supervisor.track
    const startedAt = yield* Clock.currentTimeMillis
    const exit = yield* recorder.record(Effect.exit(operationCall)).pipe(Effect.supervised(supervisor))
    const endedAt = yield* Clock.currentTimeMillis
    exits.push(exit)
    const remainingFibers = () => Effect.runSync(supervisor.value).length
    yield* until("all fibers to end", () => remainingFibers() === 0)
    yield* until("all requests to end", () => endpoint.pending === 0)
    return {
      ...describe(exit),
      sent: attempts() - before,
      received: endpoint.received - received,
      millis: endedAt - startedAt
    }
  })

/** Runs a cell. */
export const runCell = (
  row: Row.Row,
  example: Example,
  cached: boolean,
  server: FaultServer
): Effect.Effect<CellResult, never, HttpClient.HttpClient> =>
  Effect.suspend(() => {
    const endpoint = server.addEndpoint(JSON.stringify(example.document))
    const { clock, skipNext } = SkippingClock.make(Row.minTimeoutMillis)
    endpoint.now = () => clock.unsafeCurrentTimeMillis()
    // Some turns later, after the sent data has arrived.
    endpoint.onSilence = () => turnsLater(10, skipNext)
    return Effect.withClock(runCalls(row, example, cached, server, endpoint), clock)
  }).pipe(
    Effect.provide(Logger.remove(Logger.defaultLogger)),
    // Far longer than any call. Prevents a hanging call from blocking the tests.
    Effect.timeoutFail({
      duration: Duration.seconds(100),
      onTimeout: () => new Error(`${row.name} hangs in ${example.id}`)
    }),
    Effect.orDie
  )

/** Makes the calls of a cell. */
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
