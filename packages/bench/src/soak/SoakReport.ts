/** The report of a soak test. */
import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import type { ResourceUsage } from "../Processes.ts"
import { responseForms } from "./CheckResponse.ts"
import { leaksFiles, type SoakResult } from "./Soak.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const formatPercent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

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

/** Returns the reasons for which a soak test fails. */
export const failuresOf = ({ after, before, samples, stats }: SoakResult): ReadonlyArray<string> => {
  const growth = memoryGrowth(samples)
  return [
    ...(stats.incorrect > 0 ? [`${stats.incorrect} incorrect responses`] : []),
    ...(stats.lost > 0 ? [`${stats.lost} requests without a response`] : []),
    ...stats.problems.map((problem) => `  ${problem}`),
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
  const { after, before, samples, seconds, stats, upstreamRequestCount } = result
  const { completed, counts, incorrect, lost } = stats
  const mostFiles = Math.max(...samples.map(({ files }) => files))
  const rows: ReadonlyArray<readonly [name: string, text: string]> = [
    ["requests", `${formatCount(completed)} in ${formatCount(seconds)} s`],
    ["upstream requests", formatCount(upstreamRequestCount)],
    ...Arr.sortWith(counts, ([, count]) => -count, Order.number).map(([name, count]) =>
      [`  ${name}`, formatCount(count)] as const
    ),
    ["incorrect", formatCount(incorrect)],
    ["lost", formatCount(lost)],
    ["memory in the last quarter", `${formatPercent(memoryGrowth(samples))} more than before`],
    ["open files", `${before.files} before, ${mostFiles} at most, ${after.files} at rest`]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const failures = failuresOf(result)
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(failures.length === 0 ? ["passed"] : ["failed:", ...failures])
  ].join("\n")
}
