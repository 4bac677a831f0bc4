/** The context of operation handlers: current data and options of the request. */
import { type ChainName, evmChains } from "@blockquarry/core/Chain"
import type { Operation } from "@blockquarry/core/Operation"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainLedger, Ledger } from "../Ledger.ts"
import { type ApiError, badRequest, invalidInput, invalidLedgerInput } from "./ApiError.ts"
import type { JsonDocument } from "./HttpMessage.ts"
import type { ResolvedOptions } from "./SandboxOptions.ts"
import type { SandboxState } from "./SandboxState.ts"
import type { CursorCodec } from "./SignedCursor.ts"

export interface SandboxContext {
  readonly ledger: Ledger
  readonly options: ResolvedOptions
  readonly state: Pick<SandboxState, "recordRead" | "updateStream">
  readonly chains: ReadonlyMap<ChainName, ChainLedger>
  readonly network: "mainnet" | "testnet"
  readonly cursorCodec: CursorCodec
  /** The fault that a list operation injects into its page. */
  readonly fault: "repeat-cursor" | "empty-page" | undefined
}

/** An operation and its handler. */
export interface OperationHandler extends
  Pick<
    Operation<never, never, never, never>,
    "id" | "api" | "method" | "path" | "parameters" | "price" | "per"
  >
{
  readonly handle: (encoded: unknown, context: SandboxContext) => Effect.Effect<JsonDocument, ApiError>
}

/** Creates a handler that decodes the input first. */
export const operationHandler = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  handle: (input: I, context: SandboxContext) => Effect.Effect<JsonDocument, ApiError>
): OperationHandler => ({
  ...operation,
  handle: (encoded, context) =>
    Either.match(decodeInput(operation, encoded), {
      onLeft: (error) =>
        Effect.fail(operation.api === "ledger" ? invalidLedgerInput(error) : invalidInput(error)),
      onRight: (input) => handle(input, context)
    })
})

/** Creates a handler of an operation with a chain. Default: eth. Like a service, it rejects a chain that has no data. */
export const chainHandler = <I extends { readonly chain?: string }, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  handle: (input: I, chain: ChainLedger, context: SandboxContext) => Effect.Effect<JsonDocument, ApiError>,
  known: ReadonlyArray<ChainName> = evmChains
): OperationHandler =>
  operationHandler(
    operation,
    (input, context) =>
      Effect.flatMap(chainOf(context, "chain", input.chain ?? "eth", known), (chain) =>
        handle(input, chain, context))
  )

/** Returns a requested chain. Fails if it is not `known`. */
export const chainOf = (
  { chains }: SandboxContext,
  parameter: "chain" | "chains",
  requested: string,
  known: ReadonlyArray<ChainName>
): Either.Either<ChainLedger, ApiError> => {
  const name = known.find((name) => name === requested)
  const chain = name && chains.get(name)
  return chain === undefined
    ? Either.left(
      badRequest(
        `${parameter} must be a valid enum value, one of ${
          known.join(", ")
        } (or its hexadecimal chain ID), got "${requested}"`
      )
    )
    : Either.right(chain)
}
