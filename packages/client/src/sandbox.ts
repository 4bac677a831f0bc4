/**
 * The sandbox: an in-process service with all operations and synthetic data, for tests and examples without an account and
 * without a network. It is not part of programs that do not import this module.
 */
import { chainName, evmChains } from "@blockquarry/core/Chain"
import { option, optionIssues, required } from "@blockquarry/http/gateway/Options"
import type { Ledger } from "@blockquarry/sandbox/Ledger"
import * as Service from "@blockquarry/sandbox/Sandbox"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ChainId, ChainName } from "./Chain.ts"
import { ConfigurationError } from "./Errors.ts"
import { type Plain, toPlain } from "./internal/Plain.ts"
import type { Fetch } from "./Options.ts"

export type { RecordedRequest } from "@blockquarry/sandbox/Sandbox"

export type Fault = Plain<Service.Fault>

export type SandboxExamples = Plain<Ledger["examples"]>

/** Options of the sandbox. */
export interface SandboxOptions {
  /** Seed of the synthetic data: equal seeds give equal data. Default: 1. */
  readonly seed?: number
  /** Number of transfers of the busy token. Default: 10,000. */
  readonly scale?: number
  /** Whether pages of wallet transfers have a cursor. Default: true. */
  readonly walletTransfersCursor?: boolean
  /** Page size of requests without a limit. Default: 100. Always 100 for `contractNfts`. */
  readonly defaultPageSize?: number
}

/** A sandbox. `apiKey`, `baseUrl` and `fetch` are options of `createClient`. */
export interface Sandbox {
  readonly apiKey: string
  readonly baseUrl: string
  /** Handles requests in this process. It ignores the host of a URL. */
  readonly fetch: Fetch
  readonly examples: SandboxExamples
  /** Injects these faults into the next requests, one each. Throws a `ConfigurationError` if one is invalid. */
  readonly queueFaults: (...faults: ReadonlyArray<Fault>) => void
  /** Adds blocks to a chain. Throws a `ConfigurationError` if the chain is unknown, or the number is negative or no integer. */
  readonly addBlocks: (chain: ChainName | ChainId, blocks: number) => void
  /** Returns the last 10,000 requests, oldest first. */
  readonly recordedRequests: () => ReadonlyArray<Service.RecordedRequest>
}

/**
 * Creates a sandbox. Equal options give equal responses. Throws a `ConfigurationError` if an option is unknown or invalid.
 *
 * @example
 * import { createClient } from "@blockquarry/client"
 * import { createSandbox } from "@blockquarry/client/sandbox"
 *
 * const { apiKey, baseUrl, examples, fetch } = createSandbox()
 * const client = createClient({ apiKey, baseUrl, fetch })
 *
 * console.log(await client.tokenPrice({ address: examples.token }))
 */
export const createSandbox = (options: SandboxOptions = {}): Sandbox => {
  check(OptionsSchema, options)
  const sandbox = Effect.runSync(Service.make(options))
  const client = Service.httpClient(sandbox)
  return {
    apiKey: Service.apiKey,
    baseUrl: Service.baseUrls.data,
    examples: toPlain(sandbox.ledger.examples),
    queueFaults: (...faults) => {
      faults.forEach((fault, index) => check(FaultSchema, fault, ["faults", String(index)]))
      Effect.runSync(sandbox.queueFaults(...faults))
    },
    addBlocks: (chain, blocks) => {
      const name = chainName(String(chain))
      if (name === undefined) {
        const known = `one of ${evmChains.join(", ")} (or its hexadecimal chain ID)`
        throw new ConfigurationError([{
          option: "chain",
          reason: `expected ${known}, got ${JSON.stringify(chain)}`
        }])
      }
      check(BlocksSchema, { blocks })
      Effect.runSync(sandbox.addBlocks(name, blocks))
    },
    recordedRequests: () => Effect.runSync(sandbox.recordedRequests),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = await request.text()
      const exit = await Effect.runPromiseExit(
        client.execute(
          HttpClientRequest.make(request.method === "POST" ? "POST" : "GET")(request.url, {
            headers: Object.fromEntries(request.headers)
          }).pipe(HttpClientRequest.bodyText(body))
        ),
        { signal: request.signal }
      )
      if (Exit.isFailure(exit)) throw fetchError(exit.cause, request.signal)
      const { headers, status, stream } = exit.value
      return new Response(status === 204 || status === 304 ? null : Stream.toReadableStream(stream), {
        status,
        headers
      })
    }
  }
}

/** Throws a `ConfigurationError` if a value has unknown or invalid members. */
const check = (schema: Schema.Schema.AnyNoContext, value: unknown, path?: ReadonlyArray<string>): void => {
  const issues = optionIssues(schema, value, path)
    .map(({ path, reason }) => ({ option: path.join("."), reason }))
  if (issues.length > 0) throw new ConfigurationError(issues)
}

const OptionsSchema = Schema.Struct(
  {
    seed: Schema.Int,
    scale: Schema.NonNegativeInt,
    walletTransfersCursor: Schema.Boolean,
    defaultPageSize: Schema.Int.pipe(Schema.greaterThanOrEqualTo(1))
  } satisfies { readonly [Name in keyof SandboxOptions]-?: Schema.Schema<NonNullable<SandboxOptions[Name]>> }
)

const FaultSchema = Schema.Struct({
  ...Service.Fault.fields,
  kind: option(`one of ${Service.FaultKind.literals.join(", ")}`, Schema.is(Service.FaultKind))
})

const BlocksSchema = Schema.Struct({ blocks: required(Schema.NonNegativeInt) })

/** The error with which `fetch` rejects. */
const fetchError = (cause: Cause.Cause<unknown>, signal: AbortSignal): unknown => {
  if (signal.aborted) return signal.reason
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  return error instanceof Error && error.cause instanceof TypeError ? error.cause : Cause.squash(cause)
}
