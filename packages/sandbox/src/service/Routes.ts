/** Routes of all three APIs, which have the same origin. */
import { pathPrefix } from "@blockquarry/core/Operation"
import { pathMatcher } from "@blockquarry/core/RequestParsing"
import { operationHandlers } from "./OperationHandlers.ts"
import type { OperationHandler, SandboxContext } from "./SandboxContext.ts"

export interface Route {
  readonly operation: OperationHandler
  readonly parameters: Readonly<Record<string, string>>
  readonly network: SandboxContext["network"]
}

const matcherOf = (api: OperationHandler["api"], network: Route["network"]) => {
  const match = pathMatcher(operationHandlers.filter((handler) => handler.api === api))
  return (path: string): Route | undefined => {
    const found = match(path)
    return found && { ...found, network }
  }
}
const matchData = matcherOf("data", "mainnet")
const matchStreams = matcherOf("streams", "mainnet")
const matchMainnet = matcherOf("ledger", "mainnet")
const matchTestnet = matcherOf("ledger", "testnet")

/** The path prefix of the ledger's testnet. */
export const testnetPrefix = "/testnet"

/** Clients of the ledger API may prefix paths with `/v1`, and select the network by path or query. */
export const resolveRoute = (
  path: string,
  query: ReadonlyArray<readonly [string, string]>
): Route | undefined => {
  if (path.startsWith(`${pathPrefix.data}/`)) return matchData(path.slice(pathPrefix.data.length))
  const isBelowTestnet = path.startsWith(`${testnetPrefix}/`)
  const onTestnet = isBelowTestnet || query.some(([name, value]) => name === "network" && value === "testnet")
  const local = (isBelowTestnet ? path.slice(testnetPrefix.length) : path).replace(/^\/v1(?=\/)/, "")
  return (onTestnet ? matchTestnet(local) : matchMainnet(local)) ?? matchStreams(path)
}
