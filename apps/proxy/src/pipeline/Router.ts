/**
 * From the request target as received in the request line to the operation of its path. The proxy serves the upstream paths of all
 * three APIs on one origin.
 *
 * It does not use a URL parser: URL parsers resolve `..`, even if it is percent-encoded, and turn `\` into `/`, so the
 * validated path and the forwarded path could differ. A target that needs such normalization is rejected.
 */
import { type AnyOperation, type Method, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import { type PathMatch, pathMatcher } from "@blockquarry/core/RequestParsing"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as ProxyError from "../exchange/ProxyError.ts"

export interface RequestTarget {
  /** The path in the form that is checked and sent: nothing in it is percent-encoded without need (RFC 3986, section 6.2.2). */
  readonly path: string
  readonly query: EncodedRequest["query"]
}

const controlCharacter = /\p{Cc}/u

const malformedUri = (reason: string) =>
  Either.left(ProxyError.make("malformed-uri", `invalid request URI: ${reason}`))

export const parseTarget = (target: string): Either.Either<RequestTarget, ProxyError.ProxyError> => {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(target)) return Either.left(misdirected)
  if (!target.startsWith("/")) return malformedUri("it must start with /")
  if (/[^!-~]|[\\#]/.test(target)) return malformedUri("it contains a character that must be percent-encoded")
  const queryStart = target.indexOf("?")
  const path = pathOf(target)
  for (const segment of path.slice(1).split("/")) {
    const reason = segmentError(segment)
    if (reason !== undefined) return malformedUri(reason)
  }
  return Either.flatMap(
    parseQuery(queryStart < 0 ? "" : target.slice(queryStart + 1)),
    (query) => containsToken(path, query) ? Either.left(tokenInUrl) : Either.right({ path, query })
  )
}

/** The server replaces an absolute target that it can have by its path. */
const misdirected = ProxyError.make(
  "host-not-allowed",
  "the request target has a scheme or an authority that this listener cannot have; https is for listen.trustedProxies only"
)

/** Returns the path of a target. Decodes characters with the same meaning in every form. The others keep theirs. */
export const pathOf = (target: string): string =>
  target.replace(/\?.*/s, "").replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })

/** Detects tokens in the URL. Unknown parameters pass through, so a token would reach the upstream and its logs. */
const containsToken = (path: string, query: EncodedRequest["query"]): boolean =>
  tokenPattern.test(decode(path) ?? "") ||
  query.some(([name, value]) =>
    tokenParameterName.test(name) || tokenPattern.test(name) || tokenPattern.test(value)
  )

const tokenParameterName = /^(x[-_])?(api[-_]?key|(access[-_]?|auth[-_]?)?token|authorization)$/i

/** A token of this proxy, in a parameter of any name. */
const tokenPattern = /qp_[\w-]{43}/

const tokenInUrl = ProxyError.make(
  "token-in-url",
  "the URL contains a token; send it in the X-API-Key header and replace it, because URLs are logged"
)

const segmentError = (segment: string): string | undefined => {
  const text = decode(segment)
  if (text === undefined) return "a path segment is not percent-encoded UTF-8"
  if (text === "." || text === "..") return "a path segment is . or .."
  if (/[/\\]/.test(text) || controlCharacter.test(text)) {
    return "a path segment contains a slash, a backslash or a control character"
  }
  return undefined
}

const parseQuery = (text: string): Either.Either<EncodedRequest["query"], ProxyError.ProxyError> => {
  const query: Array<readonly [string, string]> = []
  for (const pair of text.split("&")) {
    if (pair === "") continue
    const separator = pair.indexOf("=")
    const name = decode(plusAsSpace(separator < 0 ? pair : pair.slice(0, separator)))
    const value = decode(plusAsSpace(separator < 0 ? "" : pair.slice(separator + 1)))
    if (name === undefined || value === undefined) {
      return malformedUri("the query is not percent-encoded UTF-8")
    }
    query.push([name, value])
  }
  return Either.right(query)
}

const plusAsSpace = (text: string): string => text.replaceAll("+", "%20")

const decode = (text: string): string | undefined =>
  text.includes("%") ? Either.getOrUndefined(Encoding.decodeUriComponent(text)) : text

export interface RouteMatch extends PathMatch<AnyOperation> {
  readonly route: string
}

/** Returns the path prefixes of an operation. Ledger clients may send `/v1` instead of the prefix of the API. */
export const prefixes = ({ api }: Pick<AnyOperation, "api">): ReadonlyArray<string> =>
  api === "ledger" ? [pathPrefix.ledger, "/v1"] : [pathPrefix[api]]

/** Matches the rest of a path behind each prefix, longest prefix first. */
const matchers = [...new Set(allOperations.flatMap(prefixes))]
  .sort((a, b) => b.length - a.length)
  .map((prefix) => ({
    prefix,
    match: pathMatcher(allOperations.filter((operation) => prefixes(operation).includes(prefix)))
  }))

/**
 * Returns the operation of a path. A path of the data API with a word in place of a parameter is none: the upstream has other
 * paths such as `/nft/:address/trades` beside `/nft/:address/:token_id`, and parameters are addresses and numbers.
 */
export const findRoute = (path: string): RouteMatch | undefined => {
  for (const { match, prefix } of matchers) {
    if (!path.startsWith(`${prefix}/`)) continue
    const found = match(path.slice(prefix.length))
    if (
      found !== undefined && !(found.operation.api === "data" && Object.values(found.parameters).some(isWord))
    ) {
      return { ...found, route: prefix + found.operation.path }
    }
  }
  return undefined
}

const isWord = (text: string): boolean => /^[a-z][a-z_-]{0,63}$/i.test(text)

/** Responds if the method is allowed. GET operations also accept HEAD, and every path accepts OPTIONS. */
export const respondToMethod = (
  method: string,
  operationMethod: Method,
  respond: () => Effect.Effect<HttpResponse.HttpResponse, ProxyError.ProxyError>
): Effect.Effect<HttpResponse.HttpResponse, ProxyError.ProxyError> => {
  const allowed = operationMethod === "GET" ? ["GET", "HEAD", "OPTIONS"] : [operationMethod, "OPTIONS"]
  const allow = allowed.join(", ")
  if (method === "OPTIONS") return Effect.succeed(HttpResponse.empty(204, { allow }))
  return allowed.includes(method) ? respond() : Effect.fail(ProxyError.methodNotAllowed(allow))
}
