/** The report of a soak test. */
import { responseForms } from "./CheckResponse.ts"
import { checkedClients, type SoakProgress, type SoakResult } from "./Soak.ts"
import { leaksFiles, meanByTenth, memoryGrowth, tolerance } from "./SoakStats.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const formatMegabytes = (bytes: number): string => Number.isNaN(bytes) ? "-" : (bytes / 2 ** 20).toFixed(0)

const formatPercent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

/** Formats the progress on one line. */
export const formatProgress = ({ sample, seconds, stats }: SoakProgress, requests: number): string =>
  [
    `${formatCount(sample.completed * 100 / requests)} %`,
    `${formatCount(sample.completed)} requests`,
    `${formatCount(sample.completed / seconds)}/s`,
    `${stats.incorrect} incorrect`,
    `RSS ${formatMegabytes(sample.resident)} MB`,
    `${sample.files} files`,
    `${sample.sockets} sockets`
  ].join("  ")

const formatChange = (ratio: number): string =>
  Number.isNaN(ratio) ? "-" : `${ratio < 0 ? "" : "+"}${formatPercent(ratio)}`

const byCountDescending = (counts: ReadonlyMap<string, number>): ReadonlyArray<readonly [string, number]> =>
  [...counts].sort(([, a], [, b]) => b - a)

/** The checked clients have equally many connections, so their shares of the requests are about equal. */
const minShare = 1 / 3

const starvedClients = (clients: SoakResult["clients"]): ReadonlyArray<string> => {
  const checked = clients.filter(({ name }) => checkedClients.includes(name))
  const total = checked.reduce((sum, { requests }) => sum + requests, 0)
  return checked.filter(({ requests }) => requests < minShare * total).map(({ name, requests }) =>
    `client ${name} sent only ${formatPercent(requests / total)} of the checked requests`
  )
}

/** Returns the reasons for which a soak test fails. */
export const failuresOf = ({ after, before, clients, samples, stats }: SoakResult): ReadonlyArray<string> => {
  const growthRatio = memoryGrowth(samples, stats.completed)
  return [
    ...(stats.incorrect > 0
      ? [`${stats.incorrect} incorrect responses`, ...stats.problems.map((problem) => `  ${problem}`)]
      : []),
    ...starvedClients(clients),
    ...(leaksFiles(before, after)
      ? [`file leak: ${after.files} open files at rest, ${before.files} before`]
      : []),
    ...responseForms.filter((form) => !stats.forms.has(form)).map((form) =>
      `no correct response of kind ${form}: increase --requests`
    ),
    ...(Number.isNaN(growthRatio)
      ? ["too few memory samples to detect growth: increase --requests"]
      : []),
    ...(growthRatio > tolerance
      ? [
        `memory grew by ${formatPercent(growthRatio)} from the third to the last quarter; limit ${
          formatPercent(tolerance)
        }`
      ]
      : [])
  ]
}

/** What the proxy counted for each client, and its share of the upstream's cost. */
const clientRows = ({ clients }: SoakResult): ReadonlyArray<readonly [string, string]> => {
  const totalCost = clients.reduce((sum, { upstreamCost }) => sum + upstreamCost, 0)
  return clients.map(({ name, rejected, requests, upstreamCost }) => [
    `client ${name}`,
    `${formatCount(requests)} requests, ${formatCount(rejected)} rejected, ${
      formatPercent(upstreamCost / totalCost)
    } of the upstream cost`
  ])
}

export const formatSummary = (result: SoakResult): string => {
  const { after, upstreamRequestCount, before, samples, seconds, stats } = result
  const correct = [...stats.correct.values()].reduce((sum, count) => sum + count, 0)
  const peak = (kind: "files" | "sockets") => Math.max(...samples.map((sample) => sample[kind]))
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      "requests",
      `${formatCount(stats.completed)} in ${formatCount(seconds)} s, ${
        formatCount(stats.completed / seconds)
      }/s`
    ],
    ["upstream requests", formatCount(upstreamRequestCount)],
    ["correct", formatCount(correct)],
    ...byCountDescending(stats.correct).map(([name, count]) =>
      [`  ${name}`, `${formatCount(count)}, ${formatPercent(count / correct)}`] as const
    ),
    ...byCountDescending(stats.forms).map(([name, count]) => [`  ${name}`, formatCount(count)] as const),
    ["client disconnects", formatCount(stats.disconnected)],
    ...byCountDescending(stats.failures).map(([name, count]) => [name, formatCount(count)] as const),
    ["incorrect", formatCount(stats.incorrect)],
    ...clientRows(result),
    ["RSS by tenths, MB", meanByTenth(samples, stats.completed).map(formatMegabytes).join(" ")],
    ["RSS, growth, last quarter", formatChange(memoryGrowth(samples, stats.completed))],
    ["open files", `${before.files} before, ${peak("files")} at most, ${after.files} at rest`],
    ["  of which sockets", `${before.sockets} before, ${peak("sockets")} at most, ${after.sockets} at rest`]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const failures = failuresOf(result)
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(failures.length === 0 ? ["passed"] : ["failed:", ...failures])
  ].join("\n")
}
