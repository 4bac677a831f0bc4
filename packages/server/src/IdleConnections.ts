/**
 * Limits how many connections of one network may be open without serving a request of a client. Closes the stale and the rejected
 * ones first, then those of the client with the most.
 */
import * as Arr from "effect/Array"
import type { Connection } from "./Connection.ts"

export interface IdleLimits {
  /** Connections of one network that serve no request of a client. */
  readonly maxIdlePerNetwork: number
  /** The idle time that is announced to clients. 0 if none is. */
  readonly keepAliveHintMs: number
  readonly now: () => number
}

export class IdleConnections {
  /** Open connections, in the order in which they were opened. */
  readonly #byNetwork = new Map<string, Set<Connection>>()
  /** Those of them that were opened in this turn of the event loop, above the limit. */
  readonly #added = new Map<string, Set<Connection>>()
  readonly #limits: IdleLimits
  readonly #close: (connection: Connection) => void

  constructor(limits: IdleLimits, close: (connection: Connection) => void) {
    this.#limits = limits
    this.#close = close
  }

  add(network: string, connection: Connection): void {
    const connections = this.#byNetwork.get(network) ?? new Set()
    this.#byNetwork.set(network, connections.add(connection))
    if (connections.size <= this.#limits.maxIdlePerNetwork) return
    const added = this.#added.get(network) ?? new Set()
    this.#added.set(network, added.add(connection))
    if (added.size > 1) return
    // After the next poll phase of the event loop, which reads the requests that have arrived on any of them.
    setImmediate(() => {
      this.#added.delete(network)
      setImmediate(() => this.#limitIdle(network, added))
    })
  }

  remove(network: string, connection: Connection): void {
    const connections = this.#byNetwork.get(network)
    connections?.delete(connection)
    if (connections?.size === 0) this.#byNetwork.delete(network)
  }

  #limitIdle(network: string, added: ReadonlySet<Connection>): void {
    const { keepAliveHintMs, maxIdlePerNetwork, now } = this.#limits
    // Those that were added count although they may: nothing closes one when its request is complete.
    const idle = [...this.#byNetwork.get(network) ?? []].filter((each) =>
      added.has(each) || !each.isServing()
    )
    if (idle.length <= maxIdlePerNetwork) return
    // The announcement and the next request are on their way for a while.
    const unusedSince = keepAliveHintMs === 0 ? Number.NEGATIVE_INFINITY : now() - keepAliveHintMs - 1000
    const { rejected = [], stale = [], unidentified = [], ...byClient } = Arr.groupBy(
      idle.sort((a, b) => a.idleSince - b.idleSince),
      (each) => {
        if (each.idleSince < unusedSince && each.isUnused()) return "stale"
        const { client, isRejected } = each.owner()
        return client !== null ? `client ${client}` : isRejected ? "rejected" : "unidentified"
      }
    )
    const unneeded = [...stale, ...rejected]
    const clients = Object.values(byClient).map((each) =>
      Arr.partition(each, (one) => !one.isUnused()).flat()
    )
    for (let count = idle.length; count > maxIdlePerNetwork; count--) {
      // New connections have time for their first request, but many of them do not replace those of clients.
      const closed = unneeded.shift() ?? (unidentified.length > count / 2
        ? unidentified
        : clients.reduce((a, b) => b.length > a.length ? b : a)).shift()
      if (closed === undefined) return
      this.#close(closed)
      this.remove(network, closed)
    }
  }
}
