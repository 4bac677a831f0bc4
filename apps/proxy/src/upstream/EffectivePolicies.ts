/** The costs and policies that apply to each operation and rule, for people. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Duration from "effect/Duration"
import type { Config, Cost } from "../config/Config.ts"
import { formatMillis } from "../config/ValueFormats.ts"
import { toInlineYaml } from "../config/YamlReader.ts"
import * as CostTable from "../quota/CostTable.ts"
import * as OperationPolicies from "./OperationPolicies.ts"

const rows = (config: Config) => {
  const costs = CostTable.make(config)
  const row = (id: string, cost: Cost, describedTtl: string, describedAttempts: number) => {
    const policy = OperationPolicies.find(config.policies, { id })
    const { attempt, call } = { ...config.upstream.timeouts, ...policy?.timeouts }
    const ttl = policy?.cache.ttl
    return {
      name: id,
      price: CostTable.priceText(cost),
      rateCost: cost.rateCost,
      cacheTtl: !config.cache.enabled ? "none" : ttl === undefined ? describedTtl : ttlText(ttl),
      timeouts: `${durationText(attempt)}, ${durationText(call)}`,
      attempts: Math.min(describedAttempts, policy?.retry.attempts ?? config.upstream.retry.attempts),
      maxConcurrent: policy?.maxConcurrent ?? null
    }
  }
  return [
    ...allOperations.map((operation) =>
      row(operation.id, costs.of(operation), operation.method === "GET" ? "described" : "none", Infinity)
    ),
    ...config.passthrough.rules.map(({ cacheTtl, cost, name, path, retry }) =>
      row(name, cost ?? costs.ofPath(path), ttlText(cacheTtl), retry ? Infinity : 1)
    ),
    ...(config.passthrough.default === "off" ? [] : [row("other", costs.ofPath(""), "none", 1)])
  ]
}

const durationText = (duration: Duration.Duration): string => formatMillis(Duration.toMillis(duration))

const ttlText = (ttl: Duration.Duration | null): string => ttl === null ? "none" : durationText(ttl)

/** Returns the rows as comments of a YAML file. `described`: the TTL that the operation has. */
export const comments = (config: Config): string =>
  [
    "# The costs and policies of each operation and rule:",
    ...rows(config).map((row) => `#   ${toInlineYaml(row)}`)
  ].join("\n")
