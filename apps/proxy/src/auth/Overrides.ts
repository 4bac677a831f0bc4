/**
 * Overrides of operators, which win over the configuration: disabled clients and draining processes.
 * With Redis the fleet shares them: each process reads them twice a second, the last one of a name wins by the time of Redis, and
 * every process restores those that Redis lacks. Without Redis they are those of this process until it ends.
 */
import type { RedisRecord, RedisRecords } from "@blockquarry/redis/RedisRecords"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Rec from "effect/Record"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import * as ProxyError from "../exchange/ProxyError.ts"

/** What the processes of a fleet share. Default: null, there is no Redis. */
export class SharedRecords extends Context.Reference<SharedRecords>()("quarry-proxy/SharedRecords", {
  defaultValue: (): RedisRecords | null => null
}) {}

const Change = Schema.parseJson(Schema.Struct({ active: Schema.Boolean, operator: Schema.String }))

/** Milliseconds until Redis forgets an override. A process remembers its own, so that nothing remains of one that was killed. */
const ttls = { client: null, drain: 60_000 }

/** `client` disables the client of a name, `drain` makes the process of a name unready. */
export type Kind = keyof typeof ttls

/** Returns whether the other processes can read the change: not yet, while Redis is unavailable. */
type SetOverride = (kind: Kind, name: string, operator: string) => Effect.Effect<boolean>

export class Overrides extends Context.Tag("quarry-proxy/Overrides")<Overrides, {
  /** The name of this process in the fleet. */
  readonly processName: string
  /** Returns why requests of a client are rejected, or null. Until overrides are loaded, those of every client with a token are. */
  readonly rejectionOf: (client: string) => ProxyError.ProxyError | null
  readonly isLoaded: () => boolean
  readonly isDraining: () => boolean
  /** The disabled clients: who disabled them, and when, in milliseconds since 1970. */
  readonly disabled: ReadonlyMap<string, { readonly operator: string; readonly at: number }>
  readonly set: SetOverride
  readonly clear: SetOverride
}>() {}

/** With `open`, no client is rejected before the overrides are loaded. */
export const layer = (open: boolean): Layer.Layer<Overrides> =>
  Layer.scoped(
    Overrides,
    Effect.gen(function*() {
      const shared = yield* SharedRecords
      const processName = `${hostname()}-${randomBytes(4).toString("hex")}`
      const known = Rec.map(ttls, () => new Map<string, RedisRecord>())
      const disabled = new Map<string, { readonly operator: string; readonly at: number }>()
      let isLoaded = shared === null || open
      let isDraining = false
      /** Milliseconds by which the clock of Redis is ahead. */
      let ahead = 0
      const isNewer = (record: RedisRecord, other: RedisRecord | undefined) => record.at > (other?.at ?? 0)
      const apply = (kind: Kind, name: string, record: RedisRecord): void => {
        if (!isNewer(record, known[kind].get(name))) return
        known[kind].set(name, record)
        const { active, operator } = Option.getOrElse(
          Schema.decodeOption(Change)(record.text),
          () => ({ active: true, operator: "unknown" })
        )
        if (kind === "client") {
          if (active) disabled.set(name, { operator, at: record.at })
          else disabled.delete(name)
        } else if (name === processName) isDraining = active
      }
      const collections = shared && Rec.map(ttls, (ttl, kind) => shared(`overrides:${kind}`, ttl))
      const refresh = (kind: Kind, { read, set }: ReturnType<RedisRecords>) =>
        Effect.gen(function*() {
          const { now, records } = yield* read
          ahead = now - (yield* Clock.currentTimeMillis)
          for (const [name, record] of Object.entries(records)) apply(kind, name, record)
          isLoaded ||= kind === "client"
          for (const [name, record] of known[kind]) {
            if (Math.abs(now - record.at) >= (ttls[kind] ?? Infinity)) known[kind].delete(name)
            else if (isNewer(record, records[name])) yield* set(name, record, "restore")
          }
        })
      if (collections !== null) {
        let isLogged = false
        const refreshAll = Effect.all(
          Rec.map(collections, (collection, kind) => Effect.ignore(refresh(kind, collection)))
        ).pipe(
          Effect.catchAllDefect((defect) =>
            isLogged ? Effect.void : (isLogged = true, Effect.logError("overrides: internal error", defect))
          )
        )
        yield* refreshAll
        yield* Effect.forkScoped(Effect.repeat(refreshAll, Schedule.spaced("500 millis")))
      }
      const change = (active: boolean): SetOverride => (kind, name, operator) =>
        Effect.gen(function*() {
          const text = JSON.stringify({ active, operator })
          const after = known[kind].get(name)?.at ?? 0
          const here = Math.max((yield* Clock.currentTimeMillis) + ahead, after + 1)
          const at = collections === null
            ? Option.some(here)
            : yield* Effect.option(collections[kind].set(name, { text, at: after }))
          apply(kind, name, { text, at: Option.getOrElse(at, () => here) })
          return Option.isSome(at)
        })
      return {
        processName,
        rejectionOf: (client) =>
          disabled.has(client)
            ? clientDisabled
            : isLoaded || client === "anonymous"
            ? null
            : notLoaded,
        isLoaded: () => isLoaded,
        isDraining: () => isDraining,
        disabled,
        set: change(true),
        clear: change(false)
      }
    })
  )

const clientDisabled = ProxyError.make("client-disabled", "an operator of the proxy has disabled this client")

const notLoaded = ProxyError.make(
  "store-unavailable",
  "this process cannot read from Redis which clients are disabled; retry later",
  { "retry-after": "1" }
)
