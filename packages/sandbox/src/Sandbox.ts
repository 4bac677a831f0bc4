/**
 * The service in a box, and its door inside the process.
 *
 * `layer` provides an `HttpClient` that reaches the sandbox and nothing else, so whatever is built on an
 * HttpClient runs with no account and no network; it provides the `Sandbox` itself too, whose control handles
 * show what was asked and change what comes next.
 *
 * @example
 * import * as Sandbox from "@blockquarry/sandbox/Sandbox"
 * import * as HttpClient from "@effect/platform/HttpClient"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const sandbox = yield* Sandbox.Sandbox
 *   const client = yield* HttpClient.HttpClient
 *   const { wallet } = sandbox.ledger.examples
 *   return yield* client.get(`${Sandbox.urls.data}/api/v2.2/${wallet}/erc20/transfers`, {
 *     headers: { "x-api-key": Sandbox.key }
 *   })
 * }).pipe(Effect.provide(Sandbox.layer({ seed: 7 })))
 *
 * @since 0.1.0
 */
import type { ChainName } from "@blockquarry/core/Chain"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "./Ledger.ts"
import type { Fault } from "./Service/Fault.ts"
import * as Handler from "./Service/Handler.ts"
import * as InProcess from "./Service/InProcess.ts"
import type { SeenRequest } from "./Service/Journal.ts"
import type { Answer, Request } from "./Service/Message.ts"
import { testnet } from "./Service/Route.ts"
import { type Options, settings } from "./Service/Settings.ts"
import type { StreamDocument } from "./Service/State.ts"

export { Fault, type FaultRule, FaultText, Spoil } from "./Service/Fault.ts"
export { faultHeader } from "./Service/Handler.ts"
export type { SeenRequest } from "./Service/Journal.ts"
export { exhaustedKey, key, revokedKey } from "./Service/Keys.ts"
export type { Answer, Ending, Request } from "./Service/Message.ts"
export type { Options, SyncAfter } from "./Service/Settings.ts"

/**
 * The three APIs and the ledger's testnet, as base addresses.
 *
 * @since 0.1.0
 * @category models
 */
export interface Urls {
  readonly data: string
  readonly streams: string
  readonly ledger: string
  readonly ledgerTestnet: string
}

/**
 * The base addresses of a sandbox at an origin.
 *
 * @since 0.1.0
 * @category addresses
 */
export const urlsAt = (origin: string): Urls => ({
  data: origin,
  streams: origin,
  ledger: origin,
  ledgerTestnet: `${origin}${testnet}`
})

/**
 * The base addresses of the sandbox in the process. The in-process client answers whatever its host.
 *
 * @since 0.1.0
 * @category addresses
 */
export const urls: Urls = urlsAt("http://sandbox.invalid")

/**
 * The sandbox: it answers requests, and has handles for tests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly ledger: Ledger.Ledger
  /** Answers a request; what the transport is to do with the answer is `ending`. */
  readonly handle: (request: Request) => Effect.Effect<Answer>
  /** The requests so far, oldest first, keys included. */
  readonly requests: Effect.Effect<ReadonlyArray<SeenRequest>>
  readonly forgetRequests: Effect.Effect<void>
  /** Makes new blocks appear on a chain. */
  readonly grow: (chain: ChainName, blocks: number) => Effect.Effect<void>
  /** The next requests meet these faults, one each, before any rule of the options. */
  readonly queueFaults: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** The streams as they are now, by id. */
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Ends the indexing of a collection. */
  readonly sync: (chain: ChainName, collection: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Sandbox extends Context.Tag("@blockquarry/sandbox/Sandbox")<Sandbox, Service>() {}

/**
 * Makes a sandbox. Equal options make equal answers.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<Service> =>
  Effect.gen(function*() {
    const ledger = options.ledger ?? Ledger.make({
      seed: options.seed ?? 1,
      ...(options.scale === undefined ? {} : { scale: options.scale })
    })
    const { handle, journal, state } = yield* Handler.make(ledger, settings(options))
    return {
      ledger,
      handle,
      requests: journal.requests,
      forgetRequests: journal.forget,
      grow: state.grow,
      queueFaults: (...faults) => state.queueFaults(faults),
      streams: state.streams,
      sync: state.sync
    }
  })

/**
 * An HttpClient that reaches a sandbox and nothing else. Faults of the transport fail as they do in a real
 * client.
 *
 * @since 0.1.0
 * @category constructors
 */
export const httpClient = (sandbox: Service): HttpClient.HttpClient => InProcess.httpClient(sandbox.handle)

/**
 * The sandbox alone, for doors of your own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSandbox = (options?: Options): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(options))

/**
 * The sandbox behind an in-process HttpClient.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<HttpClient.HttpClient | Sandbox> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox, httpClient)).pipe(
    Layer.provideMerge(layerSandbox(options))
  )
