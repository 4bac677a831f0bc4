/** From a path to what it asks: the service's own paths of all three APIs on one origin. */
import { type AnyOperation, prefix } from "@blockquarry/core/Operation"
import { all } from "@blockquarry/core/operations/index"
import { matchPath } from "@blockquarry/core/Wire"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import * as Reply from "./Reply.ts"

export interface Match {
  readonly operation: AnyOperation
  readonly parameters: Readonly<Record<string, string>>
  /** The path with its parameters unnamed, for the log. */
  readonly route: string
}

/** What stands in front of an operation's path: ledger clients bring a version of their own. */
export const prefixes = ({ api }: Pick<AnyOperation, "api">): ReadonlyArray<string> =>
  api === "ledger" ? [prefix.ledger, "/v1"] : [prefix[api]]

/** The operations behind each prefix, longest prefix first. */
const sections: ReadonlyArray<readonly [start: string, operations: ReadonlyArray<AnyOperation>]> = [
  ...new Set(all.flatMap(prefixes))
].sort((a, b) => b.length - a.length)
  .map((start) => [start, all.filter((operation) => prefixes(operation).includes(start))])

/** The operation at a path. */
export const find = (path: string): Match | undefined => {
  for (const [start, operations] of sections) {
    if (!path.startsWith(`${start}/`)) continue
    const found = matchPath(operations, path.slice(start.length))
    if (found !== undefined) return { ...found, route: start + found.operation.path }
  }
  return undefined
}

/** The reply of a path that takes a method: a read is also asked for its headers alone, and both for what they take. */
export const answering = <R>(
  method: string,
  takes: "GET" | "POST",
  reply: Effect.Effect<Reply.Reply, Failure.Failure, R>
): Effect.Effect<Reply.Reply, Failure.Failure, R> => {
  const allowed = takes === "GET" ? ["GET", "HEAD", "OPTIONS"] : ["POST", "OPTIONS"]
  const allow = allowed.join(", ")
  if (method === "OPTIONS") return Effect.succeed(Reply.empty(204, { allow }))
  return allowed.includes(method) ? reply : Effect.fail(Failure.methodNotAllowed(allow))
}
