/**
 * Clients: who asks, from where, and for what they may ask.
 *
 * A token is compared by its hash, so that neither the configuration nor this process holds one. Where no clients are
 * named whoever reaches the proxy may ask anything; the name of that client is `open`.
 */
import { all } from "@blockquarry/core/operations/index"
import * as Either from "effect/Either"
import type { ClientConfig, Config } from "./Config/Config.ts"
import * as CrossSite from "./CrossSite.ts"
import * as Failure from "./Failure.ts"
import * as Network from "./Network.ts"
import * as Tokens from "./Tokens.ts"

export interface Client {
  readonly name: string
  /** The ids of the operations that it may ask. */
  readonly scopes: ReadonlySet<string>
  readonly limit: ClientConfig["limit"]
  readonly perDay: ClientConfig["perDay"]
}

/** What tells who asks. */
export interface Caller {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address at the other end of the connection. */
  readonly remote: string
}

export interface Clients {
  readonly all: ReadonlyArray<Client>
  readonly identify: (caller: Caller) => Either.Either<Client, Failure.Failure>
}

const openName = "open"

export const make = ({ clients, listen }: Pick<Config, "clients" | "listen">): Clients => {
  const forwarders = Network.make(listen.forwarders)
  return clients.length === 0 ? open(listen.hosts) : named(clients, forwarders)
}

/**
 * Anybody, but no page that a browser was lured to. Under a name of its own that leads here it would be anybody: so
 * `Host` must be an address, `localhost`, or a name that the configuration knows. And what a page of another site asks
 * for, a picture say, would spend the plan.
 */
const open = (hosts: ReadonlyArray<string>): Clients => {
  const known = new Set(["localhost", ...hosts.map((host) => host.toLowerCase())])
  const client: Client = { name: openName, scopes: scopesOf(["reads", "changes"]), limit: null, perDay: null }
  return {
    all: [client],
    identify: ({ headers }) => {
      const host = Network.hostName(headers["host"] ?? "")
      if (!known.has(host) && !Network.isAddress(host)) return Either.left(strangeHost)
      return CrossSite.isForeign(headers) ? Either.left(CrossSite.foreign) : Either.right(client)
    }
  }
}

/** A client, and where it may come from; null: from anywhere. */
interface Known {
  readonly client: Client
  readonly networks: Network.Network | null
}

const named = (configs: ReadonlyArray<ClientConfig>, forwarders: Network.Network): Clients => {
  const known = configs.map((config): Known => ({
    client: clientOf(config),
    networks: config.networks.length === 0 ? null : Network.make(config.networks)
  }))
  const find = Tokens.index(
    configs.flatMap(({ tokens }, index) => {
      const owner = known[index]
      return owner === undefined ? [] : tokens.map((token) => [token, owner] as const)
    })
  )
  return {
    all: known.map(({ client }) => client),
    identify: ({ headers, remote }) => {
      const tokens = Tokens.sentIn(headers)
      if (tokens.length === 0) return Either.left(tokenMissing)
      const found = tokens.map(find).find((owner) => owner !== undefined)
      if (found === undefined) return Either.left(tokenUnknown)
      const { client, networks } = found
      if (networks === null) return Either.right(client)
      const from = Network.origin(remote, headers["x-forwarded-for"], forwarders)
      return Network.contains(networks, from) ? Either.right(client) : Either.left(elsewhere(client))
    }
  }
}

const clientOf = ({ limit, name, perDay, scopes }: ClientConfig): Client => ({
  name,
  limit,
  perDay,
  scopes: scopesOf(scopes)
})

const scopesOf = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    all.filter(({ id, repeat }) =>
      words.includes(id) || words.includes(repeat === "always" ? "reads" : "changes")
    )
      .map(({ id }) => id)
  )

/** Whether the client may ask for an operation. */
export const allowed = ({ scopes }: Client, id: string): boolean => scopes.has(id)

const tokenMissing = Failure.make(
  "token-missing",
  "send your token for this proxy as the header X-API-Key, or as Authorization: Bearer",
  Tokens.challenge
)

const tokenUnknown = Failure.make(
  "token-unknown",
  "this proxy does not know this token; ask whoever runs it for one, and send no key of the service",
  Tokens.challenge
)

const elsewhere = ({ name }: Client): Failure.Failure =>
  new Failure.Failure({
    code: "network-refused",
    message: "this token may not be used from where you are",
    headers: {},
    client: name
  })

const strangeHost = Failure.make(
  "host-refused",
  "this proxy is open to whoever calls it by an address or as localhost; name other names in listen.hosts"
)

/** Asks for something that is not in the client's scopes. */
export const outOfScope = (id: string): Failure.Failure =>
  Failure.make("scope-refused", `this token may not ask for ${id}; its scopes are set where the proxy runs`)
