/** Formats golden records, and masks values that change from run to run. */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { ProcessResult } from "../support/process.ts"
import { type Case, shown } from "./cases.ts"

/** Returns the file of a record. */
export const recordPath = (name: string): string =>
  fileURLToPath(new URL(`records/${name}.txt`, import.meta.url))

/** Returns the names of the existing records. */
export const recordNames = (): ReadonlyArray<string> =>
  readdirSync(new URL("records/", import.meta.url)).map((name) => name.replace(/\.txt$/, ""))

/** Escapes invisible characters. */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Starts each line with a bar, so that trailing line breaks are visible. */
const block = (title: string, text: string): string => {
  if (text === "") return `${title}: (empty)\n`
  const lines = visible(withoutPlatform(text)).replace(/\n$/, "").split("\n").map((line) =>
    `| ${line}`.trimEnd()
  )
  return [`${title}:`, ...lines, ...(text.endsWith("\n") ? [] : ["(no end of line)"]), ""].join("\n")
}

/** Masks the times of log lines. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/(?<![\dT])\d\d:\d\d:\d\d\.\d{3}(?!\d)/g, "<time>")

/** Masks the version of Node.js and the platform in `--version`. */
const withoutPlatform = (text: string): string =>
  text.replaceAll(/^node \d+\.\d+\.\d+ \w+ \w+$/gm, "node {version}")

/** Masks ports that the operating system selects. */
export const withoutPorts = (text: string): string =>
  text.replaceAll(/(127\.0\.0\.1:|--port )\d{4,5}\b/g, "$1{port}")

/** Formats the environment of a case, one item per line. */
const formatOptions = (input: Case): string => {
  const {
    about,
    broken,
    closedAfter,
    isColored,
    connected,
    env = {},
    full,
    interruptedAfter,
    sandbox,
    script,
    terminal
  } = input
  return [
    ...(about === undefined ? [] : [`# ${about}`]),
    ...(connected === true ? ["env: API key and base URLs of the sandbox"] : []),
    ...Object.entries(env).map(([name, value]) => `env ${name}=${JSON.stringify(value)}`),
    ...(sandbox === undefined ? [] : [`sandbox: ${JSON.stringify(sandbox)}`]),
    ...(script ?? []).map((response) => `upstream: ${JSON.stringify(response)}`),
    ...(broken === true ? ["the client fails with a defect"] : []),
    ...(full === true ? ["the disk is full"] : []),
    ...(terminal === undefined
      ? []
      : [`terminal: ${terminal} columns${isColored === true ? ", colors" : ""}`]),
    ...(closedAfter === undefined ? [] : [`the reader closes stdout after ${closedAfter} writes`]),
    ...(interruptedAfter === undefined ? [] : [`interrupted after ${interruptedAfter} writes`])
  ].map((line) => `${visible(line)}\n`).join("")
}

/** Formats the result of a case. */
export const outcome = ({ code, err, out }: ProcessResult): string =>
  block("stdout", out) + block("stderr", withoutTimes(err)) + `exit code: ${code}\n`

/** Formats cases in order. A repeated result refers to the first case. */
export const record = (cases: ReadonlyArray<readonly [Case, ProcessResult]>): string => {
  const firsts = new Map<string, string>()
  return cases.map(([input, ended]) => {
    const text = outcome(ended)
    const title = `${formatOptions(input)}${visible(shown(input.line))}\n`
    const first = firsts.get(text)
    if (first === undefined) firsts.set(text, title.trimEnd().replaceAll("\n", "; "))
    return title + (first === undefined ? text : `the same as: ${first}\n`)
  }).join("\n")
}
