/** The mutable state of a sandbox: added blocks, indexing of collections, streams, pending faults, received requests. */
import type { ChainName } from "@blockquarry/core/Chain"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainLedger, Collection, Ledger } from "../Ledger.ts"
import { type Fault, faultSelector, type FaultTarget } from "./Fault.ts"
import type { ResolvedOptions } from "./SandboxOptions.ts"

/** The JSON document of a stream. */
export interface StreamDocument {
  readonly [field: string]: JsonValue
}

/** The indexing state of a collection: `starting` on its first request. */
export type IndexingState = "synced" | "starting" | "syncing"

/** A received request with its headers, including the API key, and its operation. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The ID of the operation, or null if the path matches none. */
  readonly operation: string | null
}

/** The state, and what changes it. */
export interface SandboxState {
  /** The chains with the blocks that were added so far. */
  readonly chains: Effect.Effect<ReadonlyMap<ChainName, ChainLedger>>
  /** Adds blocks to a chain. */
  readonly addBlocks: (name: ChainName, blocks: number) => Effect.Effect<void>
  /** Counts a request for a collection and returns its state. */
  readonly recordRead: (chain: ChainName, collection: Collection) => Effect.Effect<IndexingState>
  /** The current streams by ID. */
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Updates a stream. Returns undefined if it does not exist. */
  readonly updateStream: (id: string, update: StreamDocument) => Effect.Effect<StreamDocument | undefined>
  readonly nextFault: (target: FaultTarget) => Effect.Effect<Fault | undefined>
  /** Injects these faults into the next requests, one each, before the fault rules of the options apply. */
  readonly queueFaults: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  readonly recordRequest: (request: RecordedRequest) => Effect.Effect<void>
  /** The recorded requests with their headers, including API keys. Oldest first. */
  readonly recordedRequests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  readonly clearRecordedRequests: Effect.Effect<void>
}

export const make = (ledger: Ledger, options: ResolvedOptions): Effect.Effect<SandboxState> =>
  Effect.map(Clock.currentTimeMillis, (start) => {
    const { maxRecordedRequests, syncAfter } = options
    const blockMillis = Math.max(1, Duration.toMillis(options.blockTime))
    let chains = ledger.chains
    let timedBlocks = 0
    const reads = new Map<string, { readonly count: number; readonly since: number }>()
    let streams: ReadonlyMap<string, StreamDocument> = new Map(
      ledger.streams.map((stream) => [String(stream["id"]), stream])
    )
    const faultOfRules = faultSelector(options.faults)
    const queue: Array<Fault> = []
    let recorded: Array<RecordedRequest> = []
    return {
      chains: Effect.map(Clock.currentTimeMillis, (now) => {
        const added = Math.floor((now - start) / blockMillis) - timedBlocks
        if (added > 0) {
          timedBlocks += added
          chains = new Map(Array.from(chains, ([name, chain]) => [name, chain.withNewBlocks(added)]))
        }
        return chains
      }),
      addBlocks: (name, blocks) =>
        Effect.sync(() => {
          const chain = chains.get(name)
          if (chain !== undefined) chains = new Map(chains).set(name, chain.withNewBlocks(blocks))
        }),
      recordRead: (chain, collection) =>
        Effect.map(Clock.currentTimeMillis, (now): IndexingState => {
          if (collection.indexed) return "synced"
          const key = `${chain} ${collection.address}`
          const { count, since } = reads.get(key) ?? { count: 0, since: now }
          reads.set(key, { count: count + 1, since })
          const isIndexed = "reads" in syncAfter
            ? count >= syncAfter.reads
            : count > 0 && now - since >= Duration.toMillis(syncAfter.duration)
          return isIndexed ? "synced" : count === 0 ? "starting" : "syncing"
        }),
      streams: Effect.sync(() => streams),
      updateStream: (id, update) =>
        Effect.sync(() => {
          const stream = streams.get(id)
          if (stream === undefined) return undefined
          const updated = { ...stream, ...update }
          streams = new Map(streams).set(id, updated)
          return updated
        }),
      nextFault: (target) => Effect.sync(() => queue.length > 0 ? queue.shift() : faultOfRules(target)),
      queueFaults: (...faults) => Effect.sync(() => void queue.push(...faults)),
      recordRequest: (request) =>
        Effect.sync(() => {
          recorded.push(request)
          // Removing one request at a time would copy the array for each request
          if (recorded.length >= 2 * maxRecordedRequests) recorded = recorded.slice(-maxRecordedRequests)
        }),
      recordedRequests: Effect.sync(() => recorded.slice(-maxRecordedRequests)),
      clearRecordedRequests: Effect.sync(() => {
        recorded = []
      })
    }
  })
