/** The mutable state of a sandbox: added blocks, indexing of collections, streams, pending faults. */
import type { ChainName } from "@blockquarry/core/Chain"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { ChainLedger, Collection, Ledger } from "../Ledger.ts"
import { applyFaultRules, type Fault, type FaultTarget, type RuleState } from "./Fault.ts"
import type { ResolvedOptions, SyncAfter } from "./SandboxOptions.ts"

/** The JSON document of a stream. */
export interface StreamDocument {
  readonly [field: string]: JsonValue
}

/** The indexing state of a collection: `starting` on its first request. */
export type IndexingState = "synced" | "starting" | "syncing"

interface ReadCount {
  readonly count: number
  readonly since: number
}

export interface SandboxState {
  readonly chains: Effect.Effect<ReadonlyMap<ChainName, ChainLedger>>
  readonly addBlocks: (chain: ChainName, blocks: number) => Effect.Effect<void>
  /** Counts a request for a collection and returns its state. */
  readonly recordRead: (chain: ChainName, collection: Collection) => Effect.Effect<IndexingState>
  /** Completes the indexing of a collection. */
  readonly completeIndexing: (chain: ChainName, collection: string) => Effect.Effect<void>
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Updates a stream. Returns undefined if it does not exist. */
  readonly updateStream: (id: string, update: StreamDocument) => Effect.Effect<StreamDocument | undefined>
  readonly nextFault: (target: FaultTarget) => Effect.Effect<Fault | undefined>
  readonly queueFaults: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
}

const synced = "synced"

export const make = (ledger: Ledger, options: ResolvedOptions): Effect.Effect<SandboxState> =>
  Effect.gen(function*() {
    const chains = yield* Ref.make<ReadonlyMap<ChainName, ChainLedger>>(ledger.chains)
    const start = yield* Clock.currentTimeMillis
    const blockMillis = Math.max(1, Duration.toMillis(options.blockTime))
    const timedBlocks = yield* Ref.make(0)
    const addTimedBlocks = Effect.gen(function*() {
      const elapsed = Math.floor(((yield* Clock.currentTimeMillis) - start) / blockMillis)
      const added = elapsed - (yield* Ref.getAndUpdate(timedBlocks, (blocks) => Math.max(blocks, elapsed)))
      if (added <= 0) return
      yield* Ref.update(
        chains,
        (known) => new Map(Array.from(known, ([name, chain]) => [name, chain.withNewBlocks(added)]))
      )
    })
    const reads = yield* Ref.make<ReadonlyMap<string, ReadCount | typeof synced>>(new Map())
    const streams = yield* Ref.make<ReadonlyMap<string, StreamDocument>>(
      new Map(ledger.streams.map((stream) => [String(stream["id"]), stream]))
    )
    const rules = yield* Ref.make<ReadonlyArray<RuleState>>(
      options.faults.map((rule) => ({ rule, matched: 0, injected: 0 }))
    )
    const queue = yield* Ref.make<ReadonlyArray<Fault>>([])
    return {
      chains: Effect.zipRight(addTimedBlocks, Ref.get(chains)),
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
        if (previous === synced || isIndexed(options.syncAfter, previous, now)) return synced
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
      nextFault: (target) =>
        Ref.modify(queue, (pending) => [pending[0], pending.slice(1)]).pipe(
          Effect.flatMap((queued) =>
            queued === undefined
              ? Ref.modify(rules, (known) => applyFaultRules(known, target))
              : Effect.succeed(queued)
          )
        ),
      queueFaults: (faults) => Ref.update(queue, (pending) => [...pending, ...faults])
    }
  })

const isIndexed = (after: SyncAfter, { count, since }: ReadCount, now: number): boolean =>
  "reads" in after ? count >= after.reads : count > 0 && now - since >= Duration.toMillis(after.duration)
