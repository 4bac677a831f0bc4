/**
 * Reading a request's target as it stood in the request line.
 *
 * No URL parser comes near it: parsers collapse `..`, even encoded, and turn `\` into `/`, so that what was looked
 * at and what is sent could be two paths. Here a target is plain steps and plain parameters, or it is refused.
 */
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import * as ProxyError from "../exchange/ProxyError.ts"

export interface RequestTarget {
  /** As it came: percent-encoded, every step of it fit to be decoded. */
  readonly path: string
  readonly query: EncodedRequest["query"]
}

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

const malformedUri = (reason: string) =>
  Either.left(ProxyError.make("malformed-target", `the request's target ${reason}`))

/** Reads the target of a request line. */
export const parseTarget = (target: string): Either.Either<RequestTarget, ProxyError.ProxyError> => {
  if (!target.startsWith("/")) return malformedUri("must begin with /")
  if (/[^!-~]|[\\#]/.test(target)) return malformedUri("holds a character that must be percent-encoded")
  const queryStart = target.indexOf("?")
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  const reason = path.split("/").slice(1).map(segmentError).find((found) => found !== undefined)
  if (reason !== undefined) return malformedUri(reason)
  return Either.flatMap(
    parseQuery(queryStart < 0 ? "" : target.slice(queryStart + 1)),
    (query) => containsToken(path, query) ? Either.left(tokenInUrl) : Either.right({ path, query })
  )
}

/** What is unknown is passed on, but no token: it would be sent to the service, and stand in logs on its way. */
const containsToken = (path: string, query: EncodedRequest["query"]): boolean =>
  tokenPattern.test(decode(path) ?? "") ||
  query.some(([name, value]) =>
    tokenParameterName.test(name) || tokenPattern.test(name) || tokenPattern.test(value)
  )

const tokenParameterName = /^(x[-_])?(api[-_]?key|(access[-_]?|auth[-_]?)?token|authorization)$/i

/** As they are made here, whatever they are called. */
const tokenPattern = /qp_[\w-]{43}/

const tokenInUrl = ProxyError.make(
  "token-in-target",
  "send the token as the header X-API-Key, never in the address; have another one made, for this one stands in logs by now"
)

const segmentError = (segment: string): string | undefined => {
  const text = decode(segment)
  if (text === undefined) return "has a step that is not percent-encoded UTF-8"
  if (text === "." || text === "..") return "has a step . or .., which is never followed"
  if (/[/\\]/.test(text) || controlCharacter.test(text)) {
    return "has a step that holds a slash, a backslash or a control character"
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
      return malformedUri("has a query that is not percent-encoded UTF-8")
    }
    query.push([name, value])
  }
  return Either.right(query)
}

const plusAsSpace = (text: string): string => text.replaceAll("+", "%20")

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
