/** What an answer may look at: the ledger as it is now, and how this request is to be served. */
import { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Operation } from "@blockquarry/core/Operation"
import { readInput } from "@blockquarry/core/Wire"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ChainLedger, Ledger } from "../Ledger.ts"
import type { Cursors } from "./Cursor.ts"
import type { Holders } from "./Holders.ts"
import type { Document } from "./Message.ts"
import { type Refusal, refuseInput, refuseLedgerInput } from "./Refusal.ts"
import type { Selections } from "./Selection.ts"
import type { Settings } from "./Settings.ts"
import type { State } from "./State.ts"

export interface World {
  readonly ledger: Ledger
  readonly settings: Settings
  readonly state: Pick<State, "read" | "changeStream">
  readonly chains: ReadonlyMap<ChainName, ChainLedger>
  readonly network: "mainnet" | "testnet"
  readonly cursors: Cursors
  readonly holders: Holders
  readonly selections: Selections
  /** What a list is to do wrong. */
  readonly fault: "repeat-cursor" | "empty-page" | undefined
}

/** What the router needs of an operation, and its answer to what was written. */
export interface Answering
  extends Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters">
{
  readonly answer: (written: unknown, world: World) => Effect.Effect<Document, Refusal>
}

/** Answers an operation whose input reads. */
export const answering = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  answer: (input: I, world: World) => Effect.Effect<Document, Refusal>
): Answering => ({
  id: operation.id,
  api: operation.api,
  method: operation.method,
  path: operation.path,
  parameters: operation.parameters,
  answer: (written, world) =>
    Either.match(readInput(operation, written), {
      onLeft: (invalid) =>
        Effect.fail(operation.api === "ledger" ? refuseLedgerInput(invalid) : refuseInput(invalid)),
      onRight: (input) => answer(input, world)
    })
})

/** The chain that is asked about: eth unless another is named. */
export const chainOf = (world: World, name: ChainName = "eth"): ChainLedger =>
  world.chains.get(name) ?? empty(name)

const nowhere = Schema.decodeSync(Address)(`0x${"0".repeat(40)}`)

/** A chain that the ledger does not have. */
const empty = (name: ChainName): ChainLedger => {
  const nothing = { length: 0, at: () => undefined }
  return {
    name,
    head: 0,
    grown: () => empty(name),
    block: () => undefined,
    blockAt: () => -1,
    wrappedNative: nowhere,
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
