/**
 * Authenticates clients by token, and checks their networks and scopes. If no clients are configured, every request belongs to
 * the client `anonymous`.
 */
import * as Completed from "@blockquarry/server/Completed"
import * as IpRanges from "@blockquarry/server/IpRanges"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  allowsAnonymousClients,
  type ClientConfig,
  type Config,
  mayPassThrough,
  operationIdsOf
} from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as AppliedQuotas from "./AppliedQuotas.ts"
import * as Cors from "./Cors.ts"
import * as CrossSite from "./CrossSite.ts"
import * as Jwt from "./Jwt.ts"
import * as Restrictions from "./Restrictions.ts"
import * as Tokens from "./Tokens.ts"

export interface AuthenticatedClient
  extends Pick<ClientConfig, "name" | "rateLimit" | "weight" | "clientNoCache">
{
  readonly quotas: ReadonlyArray<AppliedQuotas.AppliedQuota>
  readonly scopes: ReadonlySet<string>
  readonly mayPassThrough: boolean
  /** Null if every chain and contract is permitted. */
  readonly restrictions: Restrictions.Restrictions | null
}

/** The parts of a request that identify its client. */
export interface RequestOrigin {
  /** Names are lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remoteAddress: string
}

/** Uses `identify`, which may wait, only if no token is accepted. */
type Authenticate = (
  request: RequestOrigin,
  now: number,
  identify: Jwt.Identify
) => Effect.Effect<Either.Either<AuthenticatedClient, ProxyError.ProxyError>>

type HostCheck = (headers: RequestOrigin["headers"]) => Either.Either<void, ProxyError.ProxyError>

/** The clients of a configuration. */
export interface ClientRegistry {
  readonly all: ReadonlyArray<AuthenticatedClient>
  /** Rejects a request whose `Host` is not allowed. If clients are configured, every `Host` is. */
  readonly checkHost: HostCheck
  /** Undefined if web pages of other origins have no access. */
  readonly cors: Cors.Cors | undefined
  readonly authenticate: Authenticate
  /** Returns the IP address of the client for the log, not mapped to IPv6. */
  readonly addressOf: (request: RequestOrigin) => string
  readonly isTrustedProxy: (remoteAddress: string) => boolean
}

export const make = (config: Pick<Config, "clients" | "listen" | "quotas" | "teams">): ClientRegistry => {
  const { clients, listen } = config
  const trustedProxies = IpRanges.make(listen.trustedProxies)
  const isAnonymous = allowsAnonymousClients({ clients })
  const checkHost: HostCheck = isAnonymous ? hostCheck(listen.allowedHosts) : () => Either.void
  const owners = clients.map((client) => ownerOf(client, config))
  const anonymousClient = anonymous(config)
  return {
    all: isAnonymous ? [anonymousClient] : owners.map(({ client }) => client),
    checkHost,
    cors: Cors.make(clients),
    authenticate: isAnonymous
      ? authenticateAnonymous(checkHost, anonymousClient)
      : authenticateBy(owners, trustedProxies),
    addressOf: ({ headers, remoteAddress }) => {
      const address = IpRanges.clientAddress(remoteAddress, headers["x-forwarded-for"], trustedProxies)
      // A trusted proxy may have forwarded any text.
      return IpRanges.unmapIpv4(IpRanges.isIpAddress(address) ? address : remoteAddress)
    },
    isTrustedProxy: (remoteAddress) => IpRanges.contains(trustedProxies, remoteAddress)
  }
}

/**
 * Checks requests without a token. Against DNS rebinding, `Host` must be an IP address, `localhost`, or a configured name.
 */
export const hostCheck = (allowedHosts: ReadonlyArray<string>): HostCheck => {
  const allowedNames = new Set(["localhost", ...allowedHosts.map((host) => host.toLowerCase())])
  return (headers) => {
    const host = IpRanges.hostName(headers["host"] ?? "")
    return allowedNames.has(host) || IpRanges.isIpAddress(host) ? Either.void : Either.left(hostNotAllowed)
  }
}

const anonymous = (config: Pick<Config, "quotas" | "teams">): AuthenticatedClient => ({
  name: "anonymous",
  scopes: operationIdsOf(["read", "write"]),
  mayPassThrough: false,
  restrictions: null,
  rateLimit: null,
  quotas: AppliedQuotas.of(config, { name: "anonymous", dailyQuota: null, monthlyQuota: null }),
  weight: 1
})

/**
 * Accepts every client, but no web page in a browser: cross-site requests are rejected, because they would consume the plan.
 */
const authenticateAnonymous =
  (checkHost: HostCheck, client: AuthenticatedClient): Authenticate => ({ headers }) =>
    Effect.succeed(
      Either.map(Either.flatMap(checkHost(headers), () => CrossSite.check(headers)), () => client)
    )

const ownerOf = (
  { allowedCidrs, scopes, subjects, tokens, ...client }: ClientConfig,
  config: Pick<Config, "quotas" | "teams">
) => ({
  client: {
    ...client,
    quotas: AppliedQuotas.of(config, client),
    scopes: operationIdsOf(scopes),
    mayPassThrough: mayPassThrough({ ...client, scopes }),
    restrictions: Restrictions.make(client)
  },
  subjects,
  tokens,
  allowedRanges: allowedCidrs.length === 0 ? null : IpRanges.make(allowedCidrs)
})

const authenticateBy = (
  owners: ReadonlyArray<ReturnType<typeof ownerOf>>,
  trustedProxies: IpRanges.IpRanges
): Authenticate => {
  const findOwner = Tokens.lookup(
    owners.flatMap((owner) => owner.tokens.map((token) => [token, owner] as const))
  )
  const bySubject = new Map(
    owners.flatMap((owner) => owner.subjects.map((subject) => [subject, Either.right(owner)] as const))
  )
  const ofSubject = Either.flatMap((subject: string) =>
    bySubject.get(subject) ?? Either.left(Jwt.clientUnknown)
  )
  return ({ headers, remoteAddress }, now, identify) => {
    const tokens = Tokens.fromHeaders(headers)
    if (tokens.length === 0) return Effect.succeed(Either.left(tokenMissing))
    const known = findOwner(tokens, now)
    return Completed.map(Either.isRight(known) ? Jwt.none : identify(tokens), (identities) => {
      const owner = identities.reduce((found, each) => Tokens.orElse(found, () => ofSubject(each)), known)
      return Either.flatMap(owner, ({ allowedRanges, client }) => {
        if (allowedRanges === null) return Either.right(client)
        const address = IpRanges.clientAddress(remoteAddress, headers["x-forwarded-for"], trustedProxies)
        return IpRanges.contains(allowedRanges, address)
          ? Either.right(client)
          : Either.left(ipNotAllowed(client))
      })
    })
  }
}

const tokenMissing = ProxyError.make(
  "token-missing",
  "missing token; send it as X-API-Key or Authorization: Bearer",
  Tokens.challenge
)

const ipNotAllowed = ({ name }: AuthenticatedClient): ProxyError.ProxyError =>
  new ProxyError.ProxyError({
    code: "ip-not-allowed",
    message: "this token is not allowed from your IP address",
    headers: {},
    client: name
  })

const hostNotAllowed = ProxyError.make(
  "host-not-allowed",
  "the Host header is not allowed; use an IP address or localhost, or add the name to listen.allowedHosts"
)

export const insufficientScope = (id: string): ProxyError.ProxyError =>
  ProxyError.make(
    "insufficient-scope",
    `this token lacks the scope for ${id}`
  )
