/** From a path to what it asks: the service's own paths of all three APIs on one origin. */
import { type AnyOperation, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { matchPath } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"

export interface RouteMatch {
  readonly operation: AnyOperation
  readonly parameters: Readonly<Record<string, string>>
  /** The path with its parameters unnamed, for the log. */
  readonly route: string
}

/** What stands in front of an operation's path: ledger clients bring a version of their own. */
export const prefixes = ({ api }: Pick<AnyOperation, "api">): ReadonlyArray<string> =>
  api === "ledger" ? [pathPrefix.ledger, "/v1"] : [pathPrefix[api]]

/** The operations behind each prefix, longest prefix first. */
const routesByPrefix: ReadonlyArray<readonly [start: string, operations: ReadonlyArray<AnyOperation>]> = [
  ...new Set(allOperations.flatMap(prefixes))
].sort((a, b) => b.length - a.length)
  .map((start) => [start, allOperations.filter((operation) => prefixes(operation).includes(start))])

/** The operation at a path. */
export const findRoute = (path: string): RouteMatch | undefined => {
  for (const [start, operations] of routesByPrefix) {
    if (!path.startsWith(`${start}/`)) continue
    const found = matchPath(operations, path.slice(start.length))
    if (found !== undefined) return { ...found, route: start + found.operation.path }
  }
  return undefined
}

/** The reply of a path that takes a method: a read is also asked for its headers alone, and both for what they take. */
export const respondToMethod = <R>(
  method: string,
  operationMethod: "GET" | "POST",
  response: Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError, R>
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError, R> => {
  const allowed = operationMethod === "GET" ? ["GET", "HEAD", "OPTIONS"] : ["POST", "OPTIONS"]
  const allow = allowed.join(", ")
  if (method === "OPTIONS") return Effect.succeed(ProxyResponse.empty(204, { allow }))
  return allowed.includes(method) ? response : Effect.fail(ProxyError.methodNotAllowed(allow))
}
