/** The costs and policies that apply to each operation and rule, for people. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Duration from "effect/Duration"
import type { Config, Cost } from "../config/Config.ts"
import { formatMillis } from "../config/ValueFormats.ts"
import * as CostTable from "../quota/CostTable.ts"
import * as OperationPolicies from "./OperationPolicies.ts"

export const rows = (config: Config) => {
  const costs = CostTable.make(config)
  const row = (id: string, cost: Cost, describedTtl: string, describedAttempts: number) => {
    const policy = OperationPolicies.find(config.policies, { id })
    const { attempt, call } = { ...config.upstream.timeouts, ...policy?.timeouts }
    const ttl = policy?.cache.ttl
    return {
      name: id,
      price: cost.per === undefined ? `${cost.price}` : `${cost.price} per ${cost.per}`,
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
export const comments = (config: Config): string => {
  const cells = [
    ["name", "price", "rate cost", "cache TTL", "timeouts", "attempts", "max concurrent"],
    ...rows(config).map((row) =>
      [...Object.values(row).slice(0, -1), row.maxConcurrent ?? "no limit"].map(String)
    )
  ]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = cells.map((row) =>
    `#   ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()}`
  )
  return ["# The costs and policies of each operation and rule:", ...lines].join("\n")
}
