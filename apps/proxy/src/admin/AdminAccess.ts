/** Access control for the confidential paths of the admin listener. */
import * as Either from "effect/Either"
import type { RequestOrigin } from "../auth/Clients.ts"
import * as IpRanges from "../auth/IpRanges.ts"
import * as TokenLookup from "../auth/TokenLookup.ts"
import { type Config, isLoopback } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

/**
 * Allows requests with a token of `admin.tokens`. If no tokens are configured, allows requests from this machine that are
 * addressed to a loopback host, which protects against DNS rebinding.
 */
export const checkAccess = (
  { admin }: Pick<Config, "admin">,
  { headers, remoteAddress }: RequestOrigin
): Either.Either<void, ProxyError.ProxyError> => {
  const tokens = admin?.tokens ?? []
  if (tokens.length === 0) {
    const host = IpRanges.hostName(headers["host"] ?? "")
    // A reverse proxy on this machine forwards requests of other machines.
    if (["forwarded", "via", "x-forwarded-for"].some((name) => headers[name] !== undefined)) {
      return Either.left(ipNotAllowed)
    }
    return isLoopback(IpRanges.unmapIpv4(remoteAddress)) && isLoopback(host)
      ? Either.void
      : Either.left(ipNotAllowed)
  }
  const findToken = TokenLookup.lookupByHash(tokens.map((hash) => [hash, hash] as const))
  const sentTokens = TokenLookup.tokensFromHeaders(headers)
  if (sentTokens.length === 0) return Either.left(tokenMissing)
  return sentTokens.some((token) => findToken(token) !== undefined) ? Either.void : Either.left(tokenUnknown)
}

const ipNotAllowed = ProxyError.make(
  "ip-not-allowed",
  "allowed only from this machine through a loopback address; other callers need a token of admin.tokens"
)

const tokenMissing = ProxyError.make(
  "token-missing",
  "missing admin token; send a token of admin.tokens as Authorization: Bearer",
  TokenLookup.challenge
)

const tokenUnknown = ProxyError.make(
  "token-unknown",
  "unknown admin token",
  TokenLookup.challenge
)
