/** Checks that PromQL expressions query existing metrics and labels; promtool checks their syntax. */
import { readFileSync } from "node:fs"
import { errorCodes } from "../../../src/exchange/ErrorCode.ts"

/** The golden record of all metrics. */
const record = readFileSync(new URL("../../golden/records/metrics.txt", import.meta.url), "utf8")

/** Label names by the names of the series. */
const series = new Map<string, Set<string>>()
for (const [, name = "", labels = ""] of record.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gim)) {
  const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)
  series.set(name, new Set([...series.get(name) ?? [], ...names]))
}

export const allMetrics: ReadonlyArray<string> = [...series.keys()]

/** Prometheus adds these labels to every series. */
const scrapeLabels = ["job", "instance", "namespace", "node"]

const everyLabel = new Set([...scrapeLabels, ...[...series.values()].flatMap((labels) => [...labels])])

/** The series that an expression queries, with their matchers. Recorded ones have a colon. */
const queriesIn = (expression: string) =>
  [...expression.matchAll(/\b((?:quarry|process|nodejs)_\w+)\b(?!:)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", matchers = ""]) => ({
      name,
      matchers: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = "", value = ""]) => ({ label, used: value.split("|") })
      )
    })
  )

/** The series that an expression queries. */
export const metricsIn = (expression: string): ReadonlyArray<string> =>
  queriesIn(expression).map(({ name }) => name)

/** The values of labels. */
const values = new Set([
  ...[...record.matchAll(/="(.*?)"/g)].map(([, value]) => value),
  // The proxy counts only its rejections by code, not failures
  ...Object.entries(errorCodes).flatMap(([code, { status }]) => status < 500 ? [code] : []),
  // The record has no such responses
  ...["coalesced", "stale", "403", "PlanQuotaExceededError", "AuthenticationError", "PermissionDeniedError"]
])

/** Labels whose values the configuration names. */
const openLabels = [...scrapeLabels, "client"]

/** Returns unknown metrics, labels and values. */
export const unknownReferences = (expression: string): ReadonlyArray<string> => [
  ...queriesIn(expression).flatMap(({ matchers, name }) => {
    const labels = series.get(name)
    if (labels === undefined) return [`there is no metric ${name}`]
    return matchers.flatMap(({ label, used }) =>
      !labels.has(label) && !scrapeLabels.includes(label)
        ? [`${name} has no label ${label}`]
        : used.filter((value) => !openLabels.includes(label) && !value.startsWith("$") && !values.has(value))
          .map((value) => `${name} never has ${label}="${value}"`)
    )
  }),
  ...[...expression.matchAll(/\b(?:by|without|on|ignoring|group_\w+) \(([^)]*)\)/g)]
    .flatMap(([, labels = ""]) => labels.match(/\w+/g) ?? [])
    .filter((label) => !everyLabel.has(label) && label !== "le")
    .map((label) => `no series has the label ${label}`)
]
