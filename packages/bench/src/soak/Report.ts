/** What a soak came to, as text, and whether it is good. */
import { responseForms } from "./RequestVariant.ts"
import { leaksFiles, meanByTenth, memoryGrowth, tolerance } from "./Samples.ts"
import type { SoakProgress, SoakResult } from "./Soak.ts"

const formatCount = (value: number): string => Math.round(value).toLocaleString("en")

const formatMegabytes = (bytes: number): string => Number.isNaN(bytes) ? "-" : (bytes / 2 ** 20).toFixed(0)

const formatPercent = (part: number): string => `${(part * 100).toFixed(1)} %`

/** One line. */
export const formatProgress = ({ sample, seconds, stats: tally }: SoakProgress, requests: number): string =>
  [
    `${formatCount(sample.completed * 100 / requests)} %`,
    `${formatCount(sample.completed)} requests`,
    `${formatCount(sample.completed / seconds)}/s`,
    `${tally.incorrect} wrong`,
    `RSS ${formatMegabytes(sample.resident)} MB`,
    `${sample.files} files`,
    `${sample.sockets} sockets`
  ].join("  ")

const formatChange = (part: number): string =>
  Number.isNaN(part) ? "-" : `${part < 0 ? "" : "+"}${formatPercent(part)}`

const byCountDescending = (counts: ReadonlyMap<string, number>): ReadonlyArray<readonly [string, number]> =>
  [...counts].sort(([, a], [, b]) => b - a)

/** The reasons why a soak is not good. */
export const failuresOf = ({ after, before, samples, stats: tally }: SoakResult): ReadonlyArray<string> => {
  const growthRatio = memoryGrowth(samples, tally.completed)
  return [
    ...(tally.incorrect > 0
      ? [`${tally.incorrect} answers were wrong`, ...tally.problems.map((one) => `  ${one}`)]
      : []),
    ...(leaksFiles(before, after) ? [`${after.files} open files at rest, ${before.files} before`] : []),
    ...responseForms.filter((form) => !tally.forms.has(form)).map((form) =>
      `no right answer came as ${form}, so that was not looked at: ask more`
    ),
    ...(Number.isNaN(growthRatio)
      ? ["memory was looked at too seldom to say whether it grew: ask more"]
      : []),
    ...(growthRatio > tolerance
      ? [
        `memory grew by ${formatPercent(growthRatio)} from the first third to the last; ${
          formatPercent(tolerance)
        } are allowed`
      ]
      : [])
  ]
}

export const formatSummary = (outcomes: SoakResult): string => {
  const { after, upstreamRequestCount: asked, before, samples, seconds, stats: tally } = outcomes
  const right = [...tally.correct.values()].reduce((sum, count) => sum + count, 0)
  const peak = (of: "files" | "sockets") => Math.max(...samples.map((sample) => sample[of]))
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      "requests",
      `${formatCount(tally.completed)} in ${formatCount(seconds)} s, ${
        formatCount(tally.completed / seconds)
      }/s`
    ],
    ["asked of the service", formatCount(asked)],
    ["correct", formatCount(right)],
    ...byCountDescending(tally.correct).map(([name, count]) =>
      [`  ${name}`, `${formatCount(count)}, ${formatPercent(count / right)}`] as const
    ),
    ...byCountDescending(tally.forms).map(([name, count]) => [`  as ${name}`, formatCount(count)] as const),
    ["hung up", formatCount(tally.disconnected)],
    ...byCountDescending(tally.failures).map(([name, count]) => [name, formatCount(count)] as const),
    ["incorrect", formatCount(tally.incorrect)],
    ["RSS by tenths, MB", meanByTenth(samples, tally.completed).map(formatMegabytes).join(" ")],
    ["RSS, last third to first", formatChange(memoryGrowth(samples, tally.completed))],
    ["open files", `${before.files} before, ${peak("files")} at most, ${after.files} at rest`],
    ["of these, sockets", `${before.sockets} before, ${peak("sockets")} at most, ${after.sockets} at rest`]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const problems = failuresOf(outcomes)
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(problems.length === 0 ? ["good"] : ["not good:", ...problems])
  ].join("\n")
}
