/** What a soak came to, as text, and whether it is good. */
import { forms } from "./Manner.ts"
import { growth, holdsMore, tenths, tolerance } from "./Samples.ts"
import type { Outcomes, Progress } from "./Soak.ts"

const whole = (value: number): string => Math.round(value).toLocaleString("en")

const megabytes = (bytes: number): string => Number.isNaN(bytes) ? "-" : (bytes / 2 ** 20).toFixed(0)

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`

/** One line. */
export const progress = ({ sample, seconds, tally }: Progress, requests: number): string =>
  [
    `${whole(sample.done * 100 / requests)} %`,
    `${whole(sample.done)} requests`,
    `${whole(sample.done / seconds)}/s`,
    `${tally.wrong} wrong`,
    `RSS ${megabytes(sample.resident)} MB`,
    `${sample.files} files`,
    `${sample.sockets} sockets`
  ].join("  ")

const change = (part: number): string => Number.isNaN(part) ? "-" : `${part < 0 ? "" : "+"}${percent(part)}`

const counts = (counts: ReadonlyMap<string, number>): ReadonlyArray<readonly [string, number]> =>
  [...counts].sort(([, a], [, b]) => b - a)

/** The reasons why a soak is not good. */
export const faults = ({ after, before, samples, tally }: Outcomes): ReadonlyArray<string> => {
  const grown = growth(samples, tally.done)
  return [
    ...(tally.wrong > 0
      ? [`${tally.wrong} answers were wrong`, ...tally.problems.map((one) => `  ${one}`)]
      : []),
    ...(holdsMore(before, after) ? [`${after.files} open files at rest, ${before.files} before`] : []),
    ...forms.filter((form) => !tally.forms.has(form)).map((form) =>
      `no right answer came as ${form}, so that was not looked at: ask more`
    ),
    ...(Number.isNaN(grown) ? ["memory was looked at too seldom to say whether it grew: ask more"] : []),
    ...(grown > tolerance
      ? [
        `memory grew by ${percent(grown)} from the first third to the last; ${percent(tolerance)} are allowed`
      ]
      : [])
  ]
}

export const summary = (outcomes: Outcomes): string => {
  const { after, asked, before, samples, seconds, tally } = outcomes
  const right = [...tally.right.values()].reduce((sum, count) => sum + count, 0)
  const peak = (of: "files" | "sockets") => Math.max(...samples.map((sample) => sample[of]))
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["requests", `${whole(tally.done)} in ${whole(seconds)} s, ${whole(tally.done / seconds)}/s`],
    ["asked of the service", whole(asked)],
    ["right", whole(right)],
    ...counts(tally.right).map(([name, count]) =>
      [`  ${name}`, `${whole(count)}, ${percent(count / right)}`] as const
    ),
    ...counts(tally.forms).map(([name, count]) => [`  as ${name}`, whole(count)] as const),
    ["hung up", whole(tally.hungUp)],
    ...counts(tally.failures).map(([name, count]) => [name, whole(count)] as const),
    ["wrong", whole(tally.wrong)],
    ["RSS by tenths, MB", tenths(samples, tally.done).map(megabytes).join(" ")],
    ["RSS, last third to first", change(growth(samples, tally.done))],
    ["open files", `${before.files} before, ${peak("files")} at most, ${after.files} at rest`],
    ["of these, sockets", `${before.sockets} before, ${peak("sockets")} at most, ${after.sockets} at rest`]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const problems = faults(outcomes)
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...(problems.length === 0 ? ["good"] : ["not good:", ...problems])
  ].join("\n")
}
