/**
 * Clients: who asks, from where, and for what they may ask.
 *
 * A token is compared by its hash, so that neither the configuration nor this process holds one. Where no clients are
 * named whoever reaches the proxy may ask anything; the name of that client is `anonymous`.
 */
import { allOperations } from "@blockquarry/core/Operations"
import * as Either from "effect/Either"
import type { ClientConfig, Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as CrossSite from "./CrossSite.ts"
import * as IpRanges from "./IpRanges.ts"
import * as TokenLookup from "./TokenLookup.ts"

export interface AuthenticatedClient {
  readonly name: string
  /** The ids of the operations that it may ask. */
  readonly scopes: ReadonlySet<string>
  readonly rateLimit: ClientConfig["rateLimit"]
  readonly dailyQuota: ClientConfig["dailyQuota"]
}

/** What tells who asks. */
export interface RequestOrigin {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address at the other end of the connection. */
  readonly remoteAddress: string
}

export interface ClientRegistry {
  readonly all: ReadonlyArray<AuthenticatedClient>
  readonly authenticate: (request: RequestOrigin) => Either.Either<AuthenticatedClient, ProxyError.ProxyError>
}

const anonymousName = "anonymous"

export const make = ({ clients, listen }: Pick<Config, "clients" | "listen">): ClientRegistry => {
  const trustedProxies = IpRanges.make(listen.trustedProxies)
  return clients.length === 0 ? anonymousRegistry(listen.allowedHosts) : registryOf(clients, trustedProxies)
}

/**
 * Anybody, but no page that a browser was lured to. Under a name of its own that leads here it would be anybody: so
 * `Host` must be an address, `localhost`, or a name that the configuration knows. And what a page of another site asks
 * for, a picture say, would spend the plan.
 */
const anonymousRegistry = (allowedHosts: ReadonlyArray<string>): ClientRegistry => {
  const allowedNames = new Set(["localhost", ...allowedHosts.map((host) => host.toLowerCase())])
  const client: AuthenticatedClient = {
    name: anonymousName,
    scopes: operationIdsOf(["read", "write"]),
    rateLimit: null,
    dailyQuota: null
  }
  return {
    all: [client],
    authenticate: ({ headers }) => {
      const host = IpRanges.hostName(headers["host"] ?? "")
      if (!allowedNames.has(host) && !IpRanges.isIpAddress(host)) return Either.left(hostNotAllowed)
      return CrossSite.isCrossSite(headers) ? Either.left(CrossSite.crossSiteError) : Either.right(client)
    }
  }
}

/** A client, and where it may come from; null: from anywhere. */
interface RegisteredClient {
  readonly client: AuthenticatedClient
  readonly allowedRanges: IpRanges.IpRanges | null
}

const registryOf = (
  configs: ReadonlyArray<ClientConfig>,
  trustedProxies: IpRanges.IpRanges
): ClientRegistry => {
  const registered = configs.map((config): RegisteredClient => ({
    client: toClient(config),
    allowedRanges: config.allowedCidrs.length === 0 ? null : IpRanges.make(config.allowedCidrs)
  }))
  const findByToken = TokenLookup.lookupByHash(
    configs.flatMap(({ tokens }, index) => {
      const owner = registered[index]
      return owner === undefined ? [] : tokens.map((token) => [token, owner] as const)
    })
  )
  return {
    all: registered.map(({ client }) => client),
    authenticate: ({ headers, remoteAddress }) => {
      const tokens = TokenLookup.tokensFromHeaders(headers)
      if (tokens.length === 0) return Either.left(tokenMissing)
      const match = tokens.map(findByToken).find((owner) => owner !== undefined)
      if (match === undefined) return Either.left(tokenUnknown)
      const { client, allowedRanges } = match
      if (allowedRanges === null) return Either.right(client)
      const clientAddress = IpRanges.clientAddress(remoteAddress, headers["x-forwarded-for"], trustedProxies)
      return IpRanges.contains(allowedRanges, clientAddress)
        ? Either.right(client)
        : Either.left(ipNotAllowed(client))
    }
  }
}

const toClient = ({ rateLimit, name, dailyQuota, scopes }: ClientConfig): AuthenticatedClient => ({
  name,
  rateLimit,
  dailyQuota,
  scopes: operationIdsOf(scopes)
})

const operationIdsOf = (scopes: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    allOperations.filter(({ id, retry }) =>
      scopes.includes(id) || scopes.includes(retry === "always" ? "read" : "write")
    )
      .map(({ id }) => id)
  )

/** Whether the client may ask for an operation. */
export const isAllowed = ({ scopes }: AuthenticatedClient, id: string): boolean => scopes.has(id)

const tokenMissing = ProxyError.make(
  "token-missing",
  "missing token; send it as X-API-Key or Authorization: Bearer",
  TokenLookup.challenge
)

const tokenUnknown = ProxyError.make(
  "token-unknown",
  "unknown token; use a token of this proxy, not an API key of the upstream",
  TokenLookup.challenge
)

const ipNotAllowed = ({ name }: AuthenticatedClient): ProxyError.ProxyError =>
  new ProxyError.ProxyError({
    code: "network-refused",
    message: "this token is not allowed from your IP address",
    headers: {},
    client: name
  })

const hostNotAllowed = ProxyError.make(
  "host-refused",
  "the Host header is not allowed; use an IP address or localhost, or add the name to listen.allowedHosts"
)

/** Asks for something that is not in the client's scopes. */
export const insufficientScope = (id: string): ProxyError.ProxyError =>
  ProxyError.make(
    "scope-refused",
    `this token lacks the scope for ${id}`
  )
