/** Routes of all three APIs, which have the same origin. */
import { pathPrefix } from "@blockquarry/core/Operation"
import { type PathMatch, pathMatcher } from "@blockquarry/core/RequestParsing"
import { operationHandlers } from "./OperationHandlers.ts"
import type { OperationHandler, SandboxContext } from "./SandboxContext.ts"

export interface Route {
  readonly operation: OperationHandler
  readonly parameters: Readonly<Record<string, string>>
  readonly network: SandboxContext["network"]
}

const matcherOf = (api: OperationHandler["api"]) =>
  pathMatcher(operationHandlers.filter((handler) => handler.api === api))
const matchData = matcherOf("data")
const matchStreams = matcherOf("streams")
const matchLedger = matcherOf("ledger")

/** The path prefix of the ledger's testnet. */
export const testnetPrefix = "/testnet"

/** Clients of the ledger API may prefix paths with `/v1`, and select the network by path or query. */
export const resolveRoute = (
  path: string,
  query: ReadonlyArray<readonly [string, string]>
): Route | undefined => {
  if (path.startsWith(`${pathPrefix.data}/`)) {
    return toRoute(matchData(path.slice(pathPrefix.data.length)), "mainnet")
  }
  const onTestnet = path.startsWith(`${testnetPrefix}/`) ||
    query.some(([name, value]) => name === "network" && value === "testnet")
  const local = (path.startsWith(`${testnetPrefix}/`) ? path.slice(testnetPrefix.length) : path).replace(
    /^\/v1(?=\/)/,
    ""
  )
  return toRoute(matchLedger(local), onTestnet ? "testnet" : "mainnet") ??
    toRoute(matchStreams(path), "mainnet")
}

const toRoute = (
  found: PathMatch<OperationHandler> | undefined,
  network: SandboxContext["network"]
): Route | undefined => found === undefined ? undefined : { ...found, network }
