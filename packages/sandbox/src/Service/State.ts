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
import { type Fault, meet, type RuleState, type Subject } from "./Fault.ts"
import type { Settings, SyncAfter } from "./Settings.ts"

/** A stream as the service keeps it. */
export interface StreamDocument {
  readonly [field: string]: JsonValue
}

/** How far the indexing of a collection is: on its first read it only starts. */
export type Sync = "synced" | "starting" | "syncing"

interface Reads {
  readonly count: number
  readonly since: number
}

export interface State {
  readonly chains: Effect.Effect<ReadonlyMap<ChainName, ChainLedger>>
  readonly grow: (chain: ChainName, blocks: number) => Effect.Effect<void>
  /** Counts as a read of the collection. */
  readonly read: (chain: ChainName, collection: Collection) => Effect.Effect<Sync>
  /** Ends the indexing of a collection. */
  readonly sync: (chain: ChainName, collection: string) => Effect.Effect<void>
  readonly streams: Effect.Effect<ReadonlyMap<string, StreamDocument>>
  /** Changes a stream; undefined where there is none of this id. */
  readonly changeStream: (id: string, change: StreamDocument) => Effect.Effect<StreamDocument | undefined>
  readonly nextFault: (subject: Subject) => Effect.Effect<Fault | undefined>
  readonly queueFaults: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
}

const synced = "synced"

export const make = (ledger: Ledger, settings: Settings): Effect.Effect<State> =>
  Effect.gen(function*() {
    const chains = yield* Ref.make<ReadonlyMap<ChainName, ChainLedger>>(ledger.chains)
    const reads = yield* Ref.make<ReadonlyMap<string, Reads | typeof synced>>(new Map())
    const streams = yield* Ref.make<ReadonlyMap<string, StreamDocument>>(
      new Map(ledger.streams.map((stream) => [String(stream["id"]), stream]))
    )
    const rules = yield* Ref.make<ReadonlyArray<RuleState>>(
      settings.faults.map((rule) => ({ rule, matched: 0, applied: 0 }))
    )
    const queue = yield* Ref.make<ReadonlyArray<Fault>>([])
    return {
      chains: Ref.get(chains),
      grow: (name, blocks) =>
        Ref.update(chains, (known) => {
          const chain = known.get(name)
          return chain === undefined ? known : new Map(known).set(name, chain.grown(blocks))
        }),
      read: Effect.fnUntraced(function*(chain, collection) {
        if (collection.indexed) return synced
        const key = `${chain} ${collection.address}`
        const now = yield* Clock.currentTimeMillis
        const before = yield* Ref.modify(
          reads,
          (known): readonly [Reads | typeof synced, ReadonlyMap<string, Reads | typeof synced>] => {
            const state = known.get(key) ?? { count: 0, since: now }
            if (state === synced) return [state, known]
            return [state, new Map(known).set(key, { ...state, count: state.count + 1 })]
          }
        )
        if (before === synced || isOver(settings.syncAfter, before, now)) return synced
        return before.count === 0 ? "starting" : "syncing"
      }),
      sync: (chain, collection) =>
        Ref.update(reads, (known) => new Map(known).set(`${chain} ${collection.toLowerCase()}`, synced)),
      streams: Ref.get(streams),
      changeStream: (id, change) =>
        Ref.modify(streams, (known) => {
          const stream = known.get(id)
          if (stream === undefined) return [undefined, known]
          const changed = { ...stream, ...change }
          return [changed, new Map(known).set(id, changed)]
        }),
      nextFault: (subject) =>
        Ref.modify(queue, (waiting) => [waiting[0], waiting.slice(1)]).pipe(
          Effect.flatMap((queued) =>
            queued === undefined ? Ref.modify(rules, (known) => meet(known, subject)) : Effect.succeed(queued)
          )
        ),
      queueFaults: (faults) => Ref.update(queue, (waiting) => [...waiting, ...faults])
    }
  })

const isOver = (after: SyncAfter, { count, since }: Reads, now: number): boolean =>
  "reads" in after ? count >= after.reads : count > 0 && now - since >= Duration.toMillis(after.duration)
