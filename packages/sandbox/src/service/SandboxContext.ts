/** What an answer may look at: the ledger as it is now, and how this request is to be served. */
import { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Operation } from "@blockquarry/core/Operation"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ChainLedger, Ledger } from "../Ledger.ts"
import { type ApiError, invalidInput, invalidLedgerInput } from "./ApiError.ts"
import type { HolderIndex } from "./Holders.ts"
import type { JsonDocument } from "./HttpMessage.ts"
import type { ResolvedOptions } from "./SandboxOptions.ts"
import type { SandboxState } from "./SandboxState.ts"
import type { CursorCodec } from "./SignedCursor.ts"
import type { TransferFilter } from "./TransferFilter.ts"

export interface SandboxContext {
  readonly ledger: Ledger
  readonly options: ResolvedOptions
  readonly state: Pick<SandboxState, "recordRead" | "updateStream">
  readonly chains: ReadonlyMap<ChainName, ChainLedger>
  readonly network: "mainnet" | "testnet"
  readonly cursorCodec: CursorCodec
  readonly holders: HolderIndex
  readonly transferFilter: TransferFilter
  /** What a list is to do wrong. */
  readonly fault: "repeat-cursor" | "empty-page" | undefined
}

/** What the router needs of an operation, and its answer to what was written. */
export interface OperationHandler
  extends Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters">
{
  readonly handle: (encoded: unknown, context: SandboxContext) => Effect.Effect<JsonDocument, ApiError>
}

/** Answers an operation whose input reads. */
export const operationHandler = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  handle: (input: I, context: SandboxContext) => Effect.Effect<JsonDocument, ApiError>
): OperationHandler => ({
  id: operation.id,
  api: operation.api,
  method: operation.method,
  path: operation.path,
  parameters: operation.parameters,
  handle: (encoded, context) =>
    Either.match(decodeInput(operation, encoded), {
      onLeft: (error) =>
        Effect.fail(operation.api === "ledger" ? invalidLedgerInput(error) : invalidInput(error)),
      onRight: (input) => handle(input, context)
    })
})

/** The chain that is asked about: eth unless another is named. */
export const chainOf = (context: SandboxContext, name: ChainName = "eth"): ChainLedger =>
  context.chains.get(name) ?? emptyChain(name)

const zeroAddress = Schema.decodeSync(Address)(`0x${"0".repeat(40)}`)

/** A chain that the ledger does not have. */
const emptyChain = (name: ChainName): ChainLedger => {
  const nothing = { length: 0, at: () => undefined }
  return {
    name,
    head: 0,
    withNewBlocks: () => emptyChain(name),
    block: () => undefined,
    blockAt: () => -1,
    wrappedNative: zeroAddress,
    tokens: new Map(),
    collections: new Map(),
    walletTransfers: () => nothing,
    tokenTransfers: () => nothing,
    nftTransfers: () => nothing,
    walletTrades: () => nothing,
    holders: () => [],
    totalSupply: () => 0n,
    nfts: () => [],
    activity: () => undefined
  }
}
