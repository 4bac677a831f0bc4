/** The context of operation handlers: current data and options of the request. */
import type { ChainName } from "@blockquarry/core/Chain"
import type { Operation } from "@blockquarry/core/Operation"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainLedger, Ledger } from "../Ledger.ts"
import { type ApiError, invalidInput, invalidLedgerInput } from "./ApiError.ts"
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
export interface OperationHandler
  extends Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters">
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

/** Returns the requested chain. Default: eth. */
export const chainOf = ({ chains }: SandboxContext, name: ChainName = "eth"): ChainLedger => {
  const chain = chains.get(name)
  if (chain === undefined) throw new Error(`the ledger has no chain ${name}`)
  return chain
}
