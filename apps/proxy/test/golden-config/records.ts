/** The text of records, and what of it differs from run to run. */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Case } from "./cases.ts"

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
  readdirSync(new URL("records/", import.meta.url)).map((name) => name.replace(/\.txt$/, "")).toSorted()

const quoted = (word: string): string => /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word}'`

/** Every line behind a bar, so that ends of lines and of the text show. */
export const block = (title: string, text: string): string => {
  if (text === "") return `${title}: (empty)\n`
  const lines = text.replace(/\n$/, "").split("\n").map((line) => `| ${line}`.trimEnd())
  return [`${title}:`, ...lines, ...(text.endsWith("\n") ? [] : ["(no end of line)"]), ""].join("\n")
}

export const heading = (title: string): string => `${"=".repeat(4)} ${title}\n`

/** What a case is given. */
const given = ({ args, env, files }: Case): string =>
  [
    ...Object.entries(env).map(([name, value]) => `env ${name}=${JSON.stringify(value)}\n`),
    ...[...files].map(([path, { shown }]) => block(`file ${path}`, visible(shown))),
    `$ ${["quarry-proxy", ...args].map(quoted).join(" ")}\n`
  ].join("")

/** Characters that no editor shows, as escapes. */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const outcome = ({ code, stderr, stdout }: Ended): string =>
  block("stdout", visible(stdout)) + block("stderr", visible(stderr)) + `exit code: ${code}\n`

/** One case: what it is given, and what comes of it. */
export const record = (input: Case, ended: Ended): string =>
  heading(input.title) + given(input) + outcome(ended)

/** Cases in their order. An outcome that comes again is named by its first case. */
export const shortened = (cases: ReadonlyArray<readonly [Case, Ended]>): string => {
  const firsts = new Map<string, string>()
  return cases.map(([input, ended]) => {
    const text = outcome(ended)
    const first = firsts.get(text)
    if (first === undefined) firsts.set(text, input.title)
    return heading(input.title) + given(input) + (first === undefined ? text : `the same as: ${first}\n`)
  }).join("\n")
}

/** Without the times of log lines. */
export const withoutTimes = (text: string): string =>
  text.replaceAll(/"time":"[^"]*"/g, "\"time\":\"<time>\"")

/** Without ports that the system chose. */
export const withoutPorts = (text: string): string =>
  text.replaceAll(/((?:127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\]):|\bport )\d{4,5}\b/g, "$1<port>")

/** Without tokens and hashes that are new each time. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(/qp_[\w-]{43}/g, "qp_<token>").replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:<hash>")
