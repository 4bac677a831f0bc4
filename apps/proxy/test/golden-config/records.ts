/** The text of records, without what differs between runs. */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Ended } from "../support/Process.ts"
import type { Case } from "./cases.ts"

/** The version of the program in all records. */
export const version = "1.2.3"

/** Returns the path of a record. */
export const recordPath = (name: string): string =>
  fileURLToPath(new URL(`records/${name}.txt`, import.meta.url))

/** Returns the names of all record files. */
export const recordNames = (): ReadonlyArray<string> =>
  readdirSync(new URL("records/", import.meta.url)).map((name) => name.replace(/\.txt$/, "")).toSorted()

/** Prefixes every line with a mark, so that line ends are visible. */
const marked = (mark: string, text: string): string => {
  if (text === "") return ""
  const lines = text.replace(/\n$/, "").split("\n").map((line) => `${mark} ${line}`.trimEnd())
  return [...lines, ...(text.endsWith("\n") ? [] : ["(no end of line)"]), ""].join("\n")
}

export const heading = (title: string): string => `${"=".repeat(4)} ${title}\n`

/** Escapes invisible characters. */
const visible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Lines of standard output begin with a bar, those of standard error with an exclamation mark. */
const outcome = ({ stderr, stdout }: Ended): string =>
  marked("|", visible(stdout)) + marked("!", visible(stderr))

/** The record of a case: its title, under which its input is in `cases.yaml`, and its outcome. */
export const record = (input: Case, ended: Ended): string =>
  heading(`${input.title} (exit code ${ended.code})`) + outcome(ended)

/** The values of a printed configuration that are not defaults, each after the names of its sections. */
export const withoutDefaults = (text: string): string => {
  const sections: Array<string> = []
  return text.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("# The ")) return []
    sections.splice(line.search(/\S/) / 2, Infinity, line.trim())
    return /#.* (default|not set)$|:$|^# {3}/.test(line) ? [] : [`${sections.join(" ")}\n`]
  }).join("")
}

/** Replaces the times of log lines. */
export const withoutTimes = (text: string): string =>
  text.replaceAll(/"time":"[^"]*"/g, "\"time\":\"<time>\"")

/** Replaces dynamic ports. */
export const withoutPorts = (text: string): string =>
  text.replaceAll(/((?:127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\]):|\bport )\d{4,5}\b/g, "$1<port>")

/** Replaces random tokens and their hashes. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(/qp_[\w-]{43}/g, "qp_<token>").replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:<hash>")
