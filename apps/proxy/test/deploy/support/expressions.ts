/** Checks that PromQL expressions query existing metrics and labels. */
import * as ProxyError from "../../../src/exchange/ProxyError.ts"
import type { KnownSeries } from "./metrics.ts"
import * as PromQl from "./promql.ts"

/** Prometheus adds these labels to every series. */
const scrapeLabels = ["job", "instance", "namespace"]

/** Series that Prometheus creates. */
const builtInMetrics = ["up", "ALERTS"]

/** The values of labels with a fixed set of values. */
const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  code: Object.keys(ProxyError.statusByCode),
  cache: ["hit", "stale", "miss", "coalesced", "bypass", "none"],
  status_class: ["1xx", "2xx", "3xx", "4xx", "5xx", "499", "none"],
  outcome: [
    "ok",
    "InvalidInputError",
    "RequestRejectedError",
    "NotFoundError",
    "AuthenticationError",
    "PermissionDeniedError",
    "PlanQuotaExceededError",
    "RateLimitError",
    "LocalLimitError",
    "ServerError",
    "CircuitOpenError",
    "NetworkError",
    "TimeoutError",
    "InvalidResponseError",
    "interrupted",
    "defect"
  ],
  // Of the cache, and of reloads
  result: ["hit", "stale", "stale_if_error", "coalesced", "miss", "success", "failure"],
  reason: ["backoff", "rate_limit", "cooldown", "concurrency", "attempts", "deadline", "budget"]
}

/** The proxy counts only its rejections by code, not failures. */
const isRejectionCode = (metric: string, label: string, value: string): boolean =>
  metric !== "quarry_proxy_rejected_total" || label !== "code" ||
  Object.entries(ProxyError.statusByCode).some(([code, status]) => code === value && status < 500)

/** Returns unknown metrics and labels, one line each. `recorded` are the names of recording rules. */
export const unknownReferences = (
  expression: string,
  series: KnownSeries,
  recorded: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const { grouped, selectors } = PromQl.read(expression)
  const everyLabel = new Set([...scrapeLabels, ...[...series.values()].flatMap((labels) => [...labels])])
  return [
    ...selectors.flatMap(({ matchers, metric }) => {
      if ([...builtInMetrics, ...recorded].includes(metric)) return []
      const labels = series.get(metric)
      if (labels === undefined) return [`there is no metric ${metric}`]
      return matchers.flatMap(({ label, operator, value }) => {
        if (!labels.has(label) && !scrapeLabels.includes(label)) return [`${metric} has no label ${label}`]
        if (value.startsWith("$")) return []
        const alternatives = operator.endsWith("~") ? value.split("|") : [value]
        return alternatives
          .filter((each) => !(values[label]?.includes(each) ?? true) || !isRejectionCode(metric, label, each))
          .map((each) => `${metric} never has ${label}="${each}"`)
      })
    }),
    ...grouped.filter((label) => !everyLabel.has(label) && label !== "node")
      .map((label) => `nothing has the label ${label}`)
  ]
}

/** Returns the series that expressions query. */
export const requestedMetrics = (expressions: ReadonlyArray<string>): ReadonlyArray<string> =>
  expressions.flatMap((expression) => PromQl.read(expression).selectors.map(({ metric }) => metric))
