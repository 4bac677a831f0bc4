/**
 * What changes while the sandbox runs: blocks that appeared, collections that were read, streams, faults to
 * come.
 */
import type { ChainName } from "@blockquarry/core/Chain"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { ChainLedger, Collection, Ledger } from "../Ledger.ts"
import { applyFaultRules, type Fault, type FaultTarget, type RuleState } from "./Fault.ts"
import type { ResolvedOptions, SyncAfter } from "./SandboxOptions.ts"

/** A stream as the service keeps it. */
export interface StreamDocument {
  readonly [field: string]: JsonValue
}

/** How far the indexing of a collection is: on its first read it only starts. */
export type IndexingState = "synced" | "starting" | "syncing"

interface ReadCount {
  readonly count: number
  readonly since: number
}

export interface SandboxState {
  readonly chains: Effect.Effect<ReadonlyMap<ChainName, ChainLedger>>
  readonly addBlocks: (chain: ChainName, blocks: number) => Effect.Effect<void>
  /** Counts as a read of the collection. */
  readonly recordRead: (chain: ChainName, collection: Collection) => Effect.Effect<IndexingState>
  /** Ends the indexing of a collection. */
  readonly completeIndexing: (chain: ChainName, collection: string) => Effect.Effect<void>
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Changes a stream; undefined where there is none of this id. */
  readonly updateStream: (id: string, update: StreamDocument) => Effect.Effect<StreamDocument | undefined>
  readonly nextFault: (subject: FaultTarget) => Effect.Effect<Fault | undefined>
  readonly queueFaults: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
}

const synced = "synced"

export const make = (ledger: Ledger, settings: ResolvedOptions): Effect.Effect<SandboxState> =>
  Effect.gen(function*() {
    const chains = yield* Ref.make<ReadonlyMap<ChainName, ChainLedger>>(ledger.chains)
    const reads = yield* Ref.make<ReadonlyMap<string, ReadCount | typeof synced>>(new Map())
    const streams = yield* Ref.make<ReadonlyMap<string, StreamDocument>>(
      new Map(ledger.streams.map((stream) => [String(stream["id"]), stream]))
    )
    const rules = yield* Ref.make<ReadonlyArray<RuleState>>(
      settings.faults.map((rule) => ({ rule, matched: 0, injected: 0 }))
    )
    const queue = yield* Ref.make<ReadonlyArray<Fault>>([])
    return {
      chains: Ref.get(chains),
      addBlocks: (name, blocks) =>
        Ref.update(chains, (known) => {
          const chain = known.get(name)
          return chain === undefined ? known : new Map(known).set(name, chain.withNewBlocks(blocks))
        }),
      recordRead: Effect.fnUntraced(function*(chain, collection) {
        if (collection.indexed) return synced
        const key = `${chain} ${collection.address}`
        const now = yield* Clock.currentTimeMillis
        const previous = yield* Ref.modify(
          reads,
          (known): readonly [ReadCount | typeof synced, ReadonlyMap<string, ReadCount | typeof synced>] => {
            const state = known.get(key) ?? { count: 0, since: now }
            if (state === synced) return [state, known]
            return [state, new Map(known).set(key, { ...state, count: state.count + 1 })]
          }
        )
        if (previous === synced || isIndexed(settings.syncAfter, previous, now)) return synced
        return previous.count === 0 ? "starting" : "syncing"
      }),
      completeIndexing: (chain, collection) =>
        Ref.update(reads, (known) => new Map(known).set(`${chain} ${collection.toLowerCase()}`, synced)),
      streams: Ref.get(streams),
      updateStream: (id, update) =>
        Ref.modify(streams, (known) => {
          const stream = known.get(id)
          if (stream === undefined) return [undefined, known]
          const updated = { ...stream, ...update }
          return [updated, new Map(known).set(id, updated)]
        }),
      nextFault: (subject) =>
        Ref.modify(queue, (waiting) => [waiting[0], waiting.slice(1)]).pipe(
          Effect.flatMap((queued) =>
            queued === undefined
              ? Ref.modify(rules, (known) => applyFaultRules(known, subject))
              : Effect.succeed(queued)
          )
        ),
      queueFaults: (faults) => Ref.update(queue, (waiting) => [...waiting, ...faults])
    }
  })

const isIndexed = (after: SyncAfter, { count, since }: ReadCount, now: number): boolean =>
  "reads" in after ? count >= after.reads : count > 0 && now - since >= Duration.toMillis(after.duration)
