/** What `/status.json` says: the counts of the process, and the state of what it depends on. */
import type { AddressName } from "../Config/Config.ts"
import type { State } from "../Health.ts"
import * as Series from "./Series.ts"
import type * as Tally from "./Tally.ts"

/** Moments are ISO 8601 in UTC, spans of time milliseconds. */
export interface Status {
  readonly name: "quarry-proxy"
  readonly version: string
  readonly startedAt: string
  readonly now: string
  readonly state: State
  /** Whether everybody is let in. */
  readonly open: boolean
  readonly sandbox: boolean
  readonly upstream: ReadonlyArray<Upstream<string>>
  readonly store: Store
  readonly totals: Omit<Tally.Counts, "charged" | "shadowed">
  readonly series: { readonly step: typeof Series.step; readonly points: ReadonlyArray<Point> }
  readonly clients: ReadonlyArray<Client>
  readonly failures: ReadonlyArray<FailureSeen>
}

interface Store {
  readonly kind: "memory" | "redis"
  /** Whether it does not answer: each process counts for itself then. */
  readonly away: boolean
}

/** An address of the service; moments are numbers where it is made, and text where it is read. */
export interface Upstream<Moment> {
  readonly address: AddressName
  /** Null where none is set. */
  readonly host: string | null
  readonly breaker: "closed" | "half-open" | "open"
  readonly retryAt: Moment | null
  readonly keys: ReadonlyArray<Key<Moment>>
}

interface Key<Moment> {
  readonly name: string
  readonly state: "ready" | "resting"
  readonly reason: "refused" | "exhausted" | "throttled" | null
  readonly until: Moment | null
  readonly perDay: { readonly limit: number; readonly left: number } | null
}

export interface Point extends Omit<Series.Point, "at"> {
  readonly at: string
}

interface Client {
  readonly name: string
  readonly requests: number
  readonly hits: number
  readonly refused: number
  readonly failures: number
  readonly cost: number
  readonly saved: number
  readonly lastSeen: string | null
  readonly budgets: ReadonlyArray<Budget>
}

export interface Budget {
  /** `second`, `day`, or the span that it is for. */
  readonly name: string
  readonly limit: number
  readonly left: number
  /** Whether it is only watched, and refuses nobody. */
  readonly shadow: boolean
}

interface FailureSeen {
  readonly at: string
  readonly requestId: string
  readonly client: string | null
  readonly operation: string | null
  readonly route: string
  readonly status: number
  readonly code: string | null
}

/** What is known elsewhere, as of the moment of asking. */
export interface Given {
  readonly version: string
  readonly now: number
  readonly state: State
  readonly open: boolean
  readonly sandbox: boolean
  readonly upstream: ReadonlyArray<Upstream<number>>
  readonly store: Store
  /** Those of the configuration, in its order, with what is left of their budgets. */
  readonly clients: ReadonlyArray<Pick<Client, "name" | "budgets">>
}

export const make = (snapshot: Tally.Snapshot, given: Given): Status => {
  const { charged: _, shadowed: __, ...totals } = snapshot.totals
  return {
    name: "quarry-proxy",
    version: given.version,
    startedAt: moment(snapshot.since),
    now: moment(given.now),
    state: given.state,
    open: given.open,
    sandbox: given.sandbox,
    upstream: given.upstream.map(upstreamOf),
    store: given.store,
    totals,
    series: {
      step: Series.step,
      points: snapshot.series.map((point) => ({ ...point, at: moment(point.at) }))
    },
    clients: clientsOf(snapshot.clients, given.clients),
    failures: snapshot.failures.map(({ at, id, ...seen }) => ({ at: moment(at), requestId: id, ...seen }))
  }
}

const moment = (millis: number): string => new Date(millis).toISOString()

const momentOrNull = (millis: number | null): string | null => millis === null ? null : moment(millis)

const upstreamOf = ({ keys, retryAt, ...upstream }: Upstream<number>): Upstream<string> => ({
  ...upstream,
  retryAt: momentOrNull(retryAt),
  keys: keys.map(({ until, ...key }) => ({ ...key, until: momentOrNull(until) }))
})

/** Those of the configuration first, whether they were seen or not; then who else came. */
const clientsOf = (
  seen: ReadonlyArray<Tally.ClientUsage>,
  configured: Given["clients"]
): ReadonlyArray<Client> => {
  const usage = new Map(seen.map((client) => [client.name, client]))
  const names = new Set(configured.map(({ name }) => name))
  return [
    ...configured.map(({ budgets, name }) => clientOf(name, usage.get(name), budgets)),
    ...seen.filter(({ name }) => !names.has(name)).map((client) => clientOf(client.name, client, []))
  ]
}

const clientOf = (
  name: string,
  usage: Tally.ClientUsage | undefined,
  budgets: ReadonlyArray<Budget>
): Client => ({
  name,
  requests: usage?.requests ?? 0,
  hits: usage?.hits ?? 0,
  refused: usage?.refused ?? 0,
  failures: usage?.failures ?? 0,
  cost: usage?.cost ?? 0,
  saved: usage?.saved ?? 0,
  lastSeen: usage === undefined ? null : moment(usage.lastSeen),
  budgets
})
