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
 *   return yield* client.get(`${Sandbox.baseUrls.data}/api/v2.2/${wallet}/erc20/transfers`, {
 *     headers: { "x-api-key": Sandbox.apiKey }
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
import * as InProcessClient from "./client/InProcessClient.ts"
import * as Ledger from "./Ledger.ts"
import type { Fault } from "./service/Fault.ts"
import * as Handler from "./service/Handler.ts"
import type { SandboxRequest, SandboxResponse } from "./service/HttpMessage.ts"
import type { RecordedRequest } from "./service/RequestLog.ts"
import { testnetPrefix } from "./service/Routes.ts"
import { resolveOptions, type SandboxOptions } from "./service/SandboxOptions.ts"
import type { StreamDocument } from "./service/SandboxState.ts"

export { apiKey, exhaustedApiKey, revokedApiKey } from "./service/ApiKeys.ts"
export { Fault, FaultKind, type FaultRule, FaultText } from "./service/Fault.ts"
export { faultHeader } from "./service/Handler.ts"
export type { SandboxRequest, SandboxResponse, Transmission } from "./service/HttpMessage.ts"
export type { RecordedRequest } from "./service/RequestLog.ts"
export type { SandboxOptions, SyncAfter } from "./service/SandboxOptions.ts"

/**
 * The three APIs and the ledger's testnet, as base addresses.
 *
 * @since 0.1.0
 * @category models
 */
export interface SandboxUrls {
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
export const baseUrlsAt = (origin: string): SandboxUrls => ({
  data: origin,
  streams: origin,
  ledger: origin,
  ledgerTestnet: `${origin}${testnetPrefix}`
})

/**
 * The base addresses of the sandbox in the process. The in-process client answers whatever its host.
 *
 * @since 0.1.0
 * @category addresses
 */
export const baseUrls: SandboxUrls = baseUrlsAt("http://sandbox.invalid")

/**
 * The sandbox: it answers requests, and has handles for tests.
 *
 * @since 0.1.0
 * @category models
 */
export interface SandboxService {
  readonly ledger: Ledger.Ledger
  /** Answers a request; what the transport is to do with the response is `transmission`. */
  readonly handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>
  /** The requests so far, oldest first, keys included. */
  readonly recordedRequests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  readonly clearRecordedRequests: Effect.Effect<void>
  /** Makes new blocks appear on a chain. */
  readonly addBlocks: (chain: ChainName, blocks: number) => Effect.Effect<void>
  /** The next requests meet these faults, one each, before any rule of the options. */
  readonly queueFaults: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** The streams as they are now, by id. */
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Ends the indexing of a collection. */
  readonly completeIndexing: (chain: ChainName, collection: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Sandbox extends Context.Tag("@blockquarry/sandbox/Sandbox")<Sandbox, SandboxService>() {}

/**
 * Makes a sandbox. Equal options make equal answers.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: SandboxOptions = {}): Effect.Effect<SandboxService> =>
  Effect.gen(function*() {
    const ledger = options.ledger ?? Ledger.make({
      seed: options.seed ?? 1,
      ...(options.scale === undefined ? {} : { scale: options.scale })
    })
    const { handle, requestLog, state } = yield* Handler.make(ledger, resolveOptions(options))
    return {
      ledger,
      handle,
      recordedRequests: requestLog.requests,
      clearRecordedRequests: requestLog.clear,
      addBlocks: state.addBlocks,
      queueFaults: (...faults) => state.queueFaults(faults),
      streams: state.streams,
      completeIndexing: state.completeIndexing
    }
  })

/**
 * An HttpClient that reaches a sandbox and nothing else. Faults of the transport fail as they do in a real
 * client.
 *
 * @since 0.1.0
 * @category constructors
 */
export const httpClient = (sandbox: SandboxService): HttpClient.HttpClient =>
  InProcessClient.httpClient(sandbox.handle)

/**
 * The sandbox alone, for doors of your own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSandbox = (options?: SandboxOptions): Layer.Layer<Sandbox> =>
  Layer.effect(Sandbox, make(options))

/**
 * The sandbox behind an in-process HttpClient.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: SandboxOptions): Layer.Layer<HttpClient.HttpClient | Sandbox> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox, httpClient)).pipe(
    Layer.provideMerge(layerSandbox(options))
  )
