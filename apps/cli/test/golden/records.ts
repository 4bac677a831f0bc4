/** The text of records, and what of it differs from run to run. */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Case, shown } from "./cases.ts"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The file of a record. */
export const recordPath = (name: string): string =>
  fileURLToPath(new URL(`records/${name}.txt`, import.meta.url))

/** The names of the records that exist. */
export const recordNames = (): ReadonlyArray<string> =>
  readdirSync(new URL("records/", import.meta.url)).map((name) => name.replace(/\.txt$/, ""))

/** Characters that no editor shows, as escapes. */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Every line behind a bar, so that ends of lines and of the text show. */
const block = (title: string, text: string): string => {
  if (text === "") return `${title}: (empty)\n`
  const lines = visible(text).replace(/\n$/, "").split("\n").map((line) => `| ${line}`.trimEnd())
  return [`${title}:`, ...lines, ...(text.endsWith("\n") ? [] : ["(no end of line)"]), ""].join("\n")
}

/** Without the times of log lines. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/(?<![\dT])\d\d:\d\d:\d\d\.\d{3}(?!\d)/g, "<time>")

/** Without ports that the system chose. */
export const withoutPorts = (text: string): string =>
  text.replaceAll(/(127\.0\.0\.1:|--port )\d{4,5}\b/g, "$1{port}")

/** The surroundings, a line each. */
const given = (input: Case): string => {
  const {
    about,
    broken,
    closedAfter,
    coloured,
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
    ...(connected === true ? ["env: the key and the addresses of the sandbox"] : []),
    ...Object.entries(env).map(([name, value]) => `env ${name}=${JSON.stringify(value)}`),
    ...(sandbox === undefined ? [] : [`sandbox: ${JSON.stringify(sandbox)}`]),
    ...(script ?? []).map((response) => `upstream: ${JSON.stringify(response)}`),
    ...(broken === true ? ["the program has a defect"] : []),
    ...(full === true ? ["the disk is full"] : []),
    ...(terminal === undefined
      ? []
      : [`terminal: ${terminal} columns${coloured === true ? ", colours" : ""}`]),
    ...(closedAfter === undefined ? [] : [`the reader goes away after ${closedAfter} writes`]),
    ...(interruptedAfter === undefined ? [] : [`Ctrl-C after ${interruptedAfter} writes`])
  ].map((line) => `${visible(line)}\n`).join("")
}

/** What comes of a case. */
export const outcome = ({ code, stderr, stdout }: Ended): string =>
  block("stdout", stdout) + block("stderr", withoutTimes(stderr)) + `exit code: ${code}\n`

/** Cases in their order. */
export const record = (cases: ReadonlyArray<readonly [Case, Ended]>): string =>
  cases.map(([input, ended]) => `${given(input)}${visible(shown(input.line))}\n${outcome(ended)}`).join("\n")

/** Cases in their order. An outcome that comes again is named by its first case. */
export const shortened = (cases: ReadonlyArray<readonly [Case, Ended]>): string => {
  const firsts = new Map<string, string>()
  return cases.map(([input, ended]) => {
    const text = outcome(ended)
    const first = firsts.get(text)
    if (first === undefined) firsts.set(text, shown(input.line))
    const what = first === undefined ? text : `the same as: ${first}\n`
    return `${given(input)}${shown(input.line)}\n${what}`
  }).join("\n")
}
