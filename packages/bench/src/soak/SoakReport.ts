/** The report of a soak test. */
import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import type { ResourceUsage } from "../Processes.ts"
import { responseForms } from "./CheckResponse.ts"
import { checkedClients, leaksFiles, type SoakProgress, type SoakResult } from "./Soak.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const formatMegabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

const formatPercent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

/** Formats the progress on one line. */
export const formatProgress = ({ seconds, stats, usage }: SoakProgress, requests: number): string =>
  [
    `${formatCount(stats.completed * 100 / requests)} %`,
    `${formatCount(stats.completed)} requests`,
    `${formatCount(stats.completed / seconds)}/s`,
    `${stats.incorrect} incorrect`,
    `RSS ${formatMegabytes(usage.resident)} MB`,
    `${usage.files} files`
  ].join("  ")

const meanMemory = (samples: ReadonlyArray<ResourceUsage>): number =>
  samples.reduce((sum, { resident }) => sum + resident, 0) / samples.length

/** The allowed growth of memory from the third to the last quarter. */
const tolerance = 0.1

/**
 * Returns the growth of memory from the third to the last quarter of the requests. In the first half the resident memory of a
 * process on Node.js 24 grows by a third, while its live heap stays at 33 to 36 MB.
 */
const memoryGrowth = (samples: ReadonlyArray<ResourceUsage>): number => {
  const quarter = Math.floor(samples.length / 4)
  return meanMemory(samples.slice(-quarter)) / meanMemory(samples.slice(-2 * quarter, -quarter)) - 1
}

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
  const growth = memoryGrowth(samples)
  return [
    ...(stats.incorrect > 0
      ? [`${stats.incorrect} incorrect responses`, ...stats.problems.map((problem) => `  ${problem}`)]
      : []),
    ...starvedClients(clients),
    ...(leaksFiles(before, after)
      ? [`file leak: ${after.files} open files at rest, ${before.files} before`]
      : []),
    ...responseForms.filter((form) => !stats.counts.has(form)).map((form) =>
      `no correct response of kind ${form}: increase --requests`
    ),
    ...(samples.length < 4 ? ["too few memory samples to detect growth: increase --requests"] : []),
    ...(growth > tolerance
      ? [
        `memory grew by ${formatPercent(growth)} from the third to the last quarter; limit ${
          formatPercent(tolerance)
        }`
      ]
      : [])
  ]
}

export const formatSummary = (result: SoakResult): string => {
  const { after, before, clients, samples, seconds, stats, upstreamRequestCount } = result
  const totalCost = clients.reduce((sum, { upstreamCost }) => sum + upstreamCost, 0)
  const tenths = Arr.chunksOf(samples, Math.ceil(samples.length / 10)).map(meanMemory)
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      "requests",
      `${formatCount(stats.completed)} in ${formatCount(seconds)} s, ${
        formatCount(stats.completed / seconds)
      }/s`
    ],
    ["upstream requests", formatCount(upstreamRequestCount)],
    ...Arr.sortWith(stats.counts, ([, count]) => -count, Order.number).map(([name, count]) =>
      [`  ${name}`, formatCount(count)] as const
    ),
    ["incorrect", formatCount(stats.incorrect)],
    ...clients.map(({ name, rejected, requests, upstreamCost }) =>
      [
        `client ${name}`,
        `${formatCount(requests)} requests, ${formatCount(rejected)} rejected, ${
          formatPercent(upstreamCost / totalCost)
        } of the upstream cost`
      ] as const
    ),
    ["RSS by tenths, MB", tenths.map(formatMegabytes).join(" ")],
    ["RSS, growth, last quarter", formatPercent(memoryGrowth(samples))],
    [
      "open files",
      `${before.files} before, ${
        Math.max(...samples.map(({ files }) => files))
      } at most, ${after.files} at rest`
    ]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const failures = failuresOf(result)
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(failures.length === 0 ? ["passed"] : ["failed:", ...failures])
  ].join("\n")
}
