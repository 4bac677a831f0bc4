/** Formats golden records, and masks values that change from run to run. */
import type { ProcessResult } from "../support/process.ts"
import { type Case, type Result, shown } from "./cases.ts"

/** Escapes invisible characters. */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Starts each line with a mark, so that trailing line breaks are visible. */
const block = (mark: string, text: string): string =>
  text === "" ? "" : visible(withoutPlatform(text)).replace(/\n$/, "").split("\n")
    .map((line) => `${`${mark} ${line}`.trimEnd()}\n`)
    .join("") + (text.endsWith("\n") ? "" : "(no end of line)\n")

/** Masks the times of log lines. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/(?<![\dT])\d\d:\d\d:\d\d\.\d{3}(?!\d)/g, "<time>")

/** Masks the versions of Node.js and of the program, the platform, and durations. */
const withoutPlatform = (text: string): string =>
  text.replaceAll(/^(.*node(?:\.js v)?) ?\d+\.\d+\.\d+ (?:on )?\w+ \w+/gim, "$1 {version}")
    .replaceAll(/(blockquarry\/)\d+\.\d+\.\d+/g, "$1{version}")
    .replaceAll(/\bin \d+ ms\b/g, "in {n} ms").replaceAll(/\bwithin \d+ s\b/g, "within {n} s")

/** Masks ports that the operating system selects. */
export const withoutPorts = (text: string): string =>
  text.replaceAll(/((?:127\.0\.0\.1|0\.0\.0\.0):|--port )\d{4,5}\b/g, "$1{port}")

/** Formats the result of a case: stdout after bars, stderr after exclamation marks, and a status that is not 0. */
export const outcome = ({ code, err, out }: ProcessResult): string =>
  block("|", out) + block("!", withoutTimes(err)) + (code === 0 ? "" : `exit code: ${code}\n`)

/** Formats cases in order. A repeated result refers to the first case, and repeated options are not shown again. */
export const record = (cases: ReadonlyArray<readonly [Case, Result]>): string => {
  const firsts = new Map<string, string>()
  let session: unknown
  return cases.map(([input, ended]) => {
    const text = outcome(ended) +
      (input.showsRequests === true
        ? ended.requests.map((request) => block(">", `${request}\n`)).join("")
        : "")
    const isContinued = "lines" in input && input.lines === session
    session = "lines" in input ? input.lines : undefined
    const title = `${isContinued ? "" : input.head ?? ""}${visible(shown(input.line))}\n`
    const first = firsts.get(text)
    // Shorter ones are shown again
    if (first === undefined && text.split("\n").length > 3) {
      firsts.set(text, title.trimEnd().replaceAll("\n", "; "))
    }
    return title + (first === undefined ? text : `the same as: ${first}\n`)
  }).join("\n")
}
