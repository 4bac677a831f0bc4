/** Routes paths to operations. The proxy serves the upstream paths of all three APIs on one origin. */
import { type AnyOperation, type Method, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { type PathMatch, pathMatcher } from "@blockquarry/core/RequestParsing"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as ProxyError from "../exchange/ProxyError.ts"

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
