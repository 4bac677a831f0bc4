/** Which operation a path belongs to. All three APIs live on one origin. */
import { prefix } from "@blockquarry/core/Operation"
import { matchPath } from "@blockquarry/core/Wire"
import { answers } from "./answers/index.ts"
import type { Answering, World } from "./World.ts"

export interface Route {
  readonly operation: Answering
  readonly parameters: Readonly<Record<string, string>>
  readonly network: World["network"]
}

const of = (api: Answering["api"]) => answers.filter((answer) => answer.api === api)
const data = of("data")
const streams = of("streams")
const ledger = of("ledger")

/** What the paths of the ledger's testnet begin with. */
export const testnet = "/testnet"

/** The ledger's clients put `/v1` in front of its paths, and name its network in the path or in the query. */
export const resolve = (
  path: string,
  query: ReadonlyArray<readonly [string, string]>
): Route | undefined => {
  if (path.startsWith(`${prefix.data}/`)) {
    return route(matchPath(data, path.slice(prefix.data.length)), "mainnet")
  }
  const onTestnet = path.startsWith(`${testnet}/`) ||
    query.some(([name, value]) => name === "network" && value === "testnet")
  const local = (path.startsWith(`${testnet}/`) ? path.slice(testnet.length) : path).replace(
    /^\/v1(?=\/)/,
    ""
  )
  return route(matchPath(ledger, local), onTestnet ? "testnet" : "mainnet") ??
    route(matchPath(streams, path), "mainnet")
}

const route = (
  found: ReturnType<typeof matchPath<Answering>>,
  network: World["network"]
): Route | undefined => found === undefined ? undefined : { ...found, network }
