/**
 * The sandbox and its in-process HttpClient.
 *
 * `layer` provides an `HttpClient` that sends all requests to the sandbox, so that programs run without an account and
 * without a network. It also provides the `Sandbox` service, with which tests inspect requests, inject faults and add
 * blocks.
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
 */
import type { UpstreamName } from "@blockquarry/core/Upstreams"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as InProcessClient from "./client/InProcessClient.ts"
import * as Ledger from "./Ledger.ts"
import * as Handler from "./service/Handler.ts"
import type { SandboxRequest, SandboxResponse } from "./service/HttpMessage.ts"
import { testnetPrefix } from "./service/Routes.ts"
import { resolveOptions, type SandboxOptions } from "./service/SandboxOptions.ts"
import * as SandboxState from "./service/SandboxState.ts"

export { apiKey, exhaustedApiKey, revokedApiKey } from "./service/ApiKeys.ts"
export { Fault, FaultKind, type FaultRule, parseFault } from "./service/Fault.ts"
export { faultHeader } from "./service/Handler.ts"
export type { SandboxRequest, SandboxResponse, Transmission } from "./service/HttpMessage.ts"
export type { SandboxOptions, SyncAfter } from "./service/SandboxOptions.ts"
export type { RecordedRequest } from "./service/SandboxState.ts"

/** The base URLs of the three APIs and of the ledger's testnet. */
export type SandboxUrls = { readonly [Name in UpstreamName]: string }

/** Returns the base URLs of a sandbox at an origin. */
export const baseUrlsAt = (origin: string): SandboxUrls => ({
  data: origin,
  streams: origin,
  ledger: origin,
  ledgerTestnet: `${origin}${testnetPrefix}`
})

/** The base URLs of the in-process sandbox. Its client ignores the host of a URL. */
export const baseUrls: SandboxUrls = baseUrlsAt("http://sandbox.invalid")

/** The sandbox: handles requests, and lets tests inspect and control it. */
export interface SandboxService extends
  Pick<
    SandboxState.SandboxState,
    | "recordedRequests"
    | "clearRecordedRequests"
    | "chains"
    | "addBlocks"
    | "queueFaults"
    | "streams"
  >
{
  readonly ledger: Ledger.Ledger
  /** Handles a request. The transport sends the response according to its `transmission`. */
  readonly handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>
}

/** The tag of the sandbox service. */
export class Sandbox extends Context.Tag("@blockquarry/sandbox/Sandbox")<Sandbox, SandboxService>() {}

/** Creates a sandbox. Equal options give equal responses. */
export const make = (options: SandboxOptions = {}): Effect.Effect<SandboxService> =>
  Effect.gen(function*() {
    const ledger = options.ledger ?? Ledger.make({
      seed: options.seed ?? 1,
      ...(options.scale === undefined ? {} : { scale: options.scale })
    })
    const resolved = resolveOptions(options)
    const state = yield* SandboxState.make(ledger, resolved)
    return { ledger, handle: Handler.make(ledger, resolved, state), ...state }
  })

/**
 * Creates an HttpClient that sends all requests to a sandbox. Transport faults fail with the errors of a real client.
 */
export const httpClient = (sandbox: SandboxService): HttpClient.HttpClient =>
  InProcessClient.httpClient(sandbox.handle)

/** Provides the sandbox without a client, for other transports. */
export const layerSandbox = (options?: SandboxOptions): Layer.Layer<Sandbox> =>
  Layer.effect(Sandbox, make(options))

/** Provides the sandbox and an in-process HttpClient. */
export const layer = (options?: SandboxOptions): Layer.Layer<HttpClient.HttpClient | Sandbox> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox, httpClient)).pipe(
    Layer.provideMerge(layerSandbox(options))
  )
