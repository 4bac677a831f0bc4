/** What requests cost: as the configuration says, or the table of the upstream, or the descriptions of operations. */
import { type AnyOperation, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import { pathMatcher } from "@blockquarry/core/RequestParsing"
import { requestPrice } from "@blockquarry/core/RequestPrice"
import type { Config, Cost } from "../config/Config.ts"
import { shapeOf } from "../config/Weights.ts"

export interface CostTable {
  /** Returns the costs of an operation, also of pass-through, which has its own. */
  readonly of: (operation: AnyOperation) => Cost
  /** Returns the expected costs of a request. */
  readonly ofRequest: (
    upstreamRequest: { readonly operation: AnyOperation; readonly request: EncodedRequest }
  ) => Cost
  /** Returns the costs of a path that no operation describes: those of the table, or the highest ones. */
  readonly ofPath: (path: string) => Cost
}

export const make = ({ costs, costTable }: Pick<Config, "costs" | "costTable">): CostTable => {
  const configured: Readonly<Record<string, Cost | null>> = costs
  const entries = (costTable.file?.weights ?? []).map(({ path, price, rateLimitCost }) => ({
    path: `/${path.slice(1).replace(/\{(\w+)\}/g, ":$1")}` as const,
    cost: { price, rateCost: rateLimitCost }
  }))
  const byShape = new Map(entries.map(({ cost, path }) => [shapeOf(path), cost]))
  const ofOperation = ({ api, cost, id, path, per, price }: AnyOperation): Cost => {
    const table = (api === "data" ? byShape.get(shapeOf(path)) : undefined) ?? { price, rateCost: cost }
    return { per, ...(configured[id] ?? table) }
  }
  const operationCosts = new Map(allOperations.map((operation) => [operation.id, ofOperation(operation)]))
  const all: ReadonlyArray<Cost> = [...entries.map(({ cost }) => cost), ...operationCosts.values()]
  const highest = {
    price: Math.max(...all.map(({ per, price }) => price * (per?.maxItems ?? 1))),
    rateCost: Math.max(...all.map(({ rateCost }) => rateCost))
  }
  const match = pathMatcher(entries)
  const of = (operation: AnyOperation) => operationCosts.get(operation.id) ?? ofOperation(operation)
  return {
    of,
    ofRequest: ({ operation, request }) => {
      const { per, price, rateCost } = of(operation)
      return { price: requestPrice({ per, price }, request), rateCost }
    },
    ofPath: (path) =>
      path.startsWith(`${pathPrefix.data}/`)
        ? match(path.slice(pathPrefix.data.length))?.operation.cost ?? highest
        : highest
  }
}

/** Returns the costs as members of an operation. */
export const membersOf = ({ per, price, rateCost }: Cost): Pick<AnyOperation, "cost" | "per" | "price"> => ({
  cost: rateCost,
  price,
  per
})
