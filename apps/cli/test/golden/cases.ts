/**
 * The golden records are the tests: a record has command lines, what they run with, and what they print. A new line in a record
 * is a new case, whose output `vitest -u` writes.
 *
 * Lines of a session share a home directory and a project. Those that do not start `quarry` are run by a shell.
 */
import type * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { exampleValues } from "../../src/help/Help.ts"

/** The response of a scripted upstream to all requests. */
interface Scripted {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface Case {
  readonly line: string
  /** The lines above it in the record, which say what it runs with. */
  readonly head?: string
  /** Title, if the line does not show the purpose. */
  readonly about?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether the environment has the API key and base URLs of the sandbox. */
  readonly connected?: boolean
  readonly sandbox?: Omit<Sandbox.SandboxOptions, "ledger" | "seed">
  readonly script?: Scripted
  /** Whether the client fails with a defect that contains the request. */
  readonly broken?: boolean
  /** Whether writes to stdout fail because the disk is full. */
  readonly full?: boolean
  /** Width of the terminal. Default: stdout and stderr are not a terminal. */
  readonly terminal?: number
  readonly isColored?: boolean
  /** Number of writes after which the reader closes stdout. */
  readonly closedAfter?: number
  /** Number of writes after which the command is interrupted. */
  readonly interruptedAfter?: number
  /** Whether the record has the requests that are sent. */
  readonly showsRequests?: boolean
}

/** What a case prints, and the requests that it sends. */
export interface Result {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly requests: ReadonlyArray<string>
}

export interface Session extends Omit<Case, "line"> {
  readonly lines: ReadonlyArray<string>
  /** The configuration file. */
  readonly user?: string
  /** Whether the text on stdin is typed at a terminal. */
  readonly isTyped?: boolean
  /** Whether the sandbox is reached over the network. */
  readonly isServed?: boolean
}

const expand = (text: string): string =>
  text.replaceAll(
    /\{(\w+)\}/g,
    (placeholder, name: string) => new Map(Object.entries(exampleValues)).get(name) ?? placeholder
  )

/** Splits a text at spaces. Quotes enclose a word with spaces, and `{wallet}` is a value of the sandbox. */
export const words = (text: string): ReadonlyArray<string> =>
  [...expand(text).matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""))

/** Reads a line as a shell does: variables, arguments and, after `<<<`, the text on stdin. */
export const parse = (line: string) => {
  const [command = "", stdin] = line.split(" <<< ")
  const all = words(command)
  const [, variables = ""] = variablesOf(command)
  const count = words(variables).length
  return {
    argv: all.slice(count),
    env: Object.fromEntries(all.slice(0, count).map((word) => /^(\w+)=(.*)$/s.exec(word)?.slice(1) ?? [])),
    stdin: stdin === undefined ? undefined : `${words(stdin).join(" ")}\n`
  }
}

const variablesOf = (line: string) => /^((?:[A-Z_]+=(?:'[^']*'|[^\s'])* )*)(.*)$/s.exec(line) ?? []

/** Returns the line as it appears in the record. A line of a shell begins with an exclamation mark. */
export const shown = (line: string): string => {
  const [, variables = "", command = ""] = variablesOf(line)
  return `$ ${line.startsWith("!") ? line.slice(1) : expand(`${variables}quarry ${command}`)}`.trimEnd()
}

const lineOf = (title: string): string => {
  const [, variables = "", command = ""] = variablesOf(title.slice(2))
  return command === "quarry" || command.startsWith("quarry ")
    ? `${variables}${command.slice("quarry ".length)}`
    : `!${title.slice(2)}`
}

/** The lines above a command line: an option, and the text before and after its value. A switch has none. */
const optionLines: ReadonlyArray<readonly [name: keyof Session, before: string, after?: string]> = [
  ["about", "# "],
  ["connected", "env: API key and base URLs of the sandbox"],
  ["env", "env "],
  ["sandbox", "sandbox: "],
  ["script", "upstream: "],
  ["broken", "the client fails with a defect"],
  ["full", "the disk is full"],
  ["user", "~/.config/quarry/config.yaml: "],
  ["terminal", "terminal: ", " columns"],
  ["isColored", "colors"],
  ["closedAfter", "the reader closes stdout after ", " writes"],
  ["interruptedAfter", "interrupted after ", " writes"]
]

const optionsOf = (line: string): Partial<Session> => {
  const [name, before = "", after = ""] =
    optionLines.find(([, before, after = ""]) => line.startsWith(before) && line.endsWith(after)) ?? []
  if (name === undefined) throw new Error(`unknown line in a record: ${line}`)
  const text = line.slice(before.length, line.length - after.length)
  if (name === "about" || text === "") return { [name]: text || true }
  const variables = [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)]
  return {
    [name]: name === "env"
      ? Object.fromEntries(variables.map(([, name, value = ""]) => [name, JSON.parse(value)]))
      : JSON.parse(text)
  }
}

const output = /^(?:[|!>](?: |$)|exit code: |\(no end of line\)$|the same as: )/

/** Returns the file of a record. */
export const recordPath = (name: string): string =>
  fileURLToPath(new URL(`records/${name}.txt`, import.meta.url))

/** Returns the names of the existing records. */
export const recordNames = (): ReadonlyArray<string> =>
  readdirSync(new URL("records/", import.meta.url)).map((name) => name.replace(/\.txt$/, ""))

/** The cases of a record, of which those without options may belong to the session of the one before. */
const blocksOf = (name: string) =>
  readFileSync(recordPath(name), "utf8").trimEnd().split("\n\n").map((block) => {
    const lines = block.split("\n")
    const first = lines.findIndex((line) => line.startsWith("$ "))
    const title = lines.slice(first).filter((line) => !output.test(line)).join("\n")
    const options = lines.slice(0, first).flatMap((line) => line.split(/(?<= columns), /)).map(optionsOf)
    return {
      line: lineOf(title),
      head: lines.slice(0, first).map((line) => `${line}\n`).join(""),
      options: options.reduce<Partial<Session>>((all, one) => ({ ...all, ...one }), {}),
      showsRequests: lines.some((line) => line.startsWith("> "))
    }
  })

export const readCases = (name: string): ReadonlyArray<Case> =>
  blocksOf(name).map(({ head, line, options }) => ({
    line,
    head,
    ...options,
    showsRequests: name === "requests"
  }))

/** What no record shows of the sessions about these. */
const hidden: Readonly<Record<string, Partial<Session>>> = {
  "a key is checked with the service": { isTyped: true },
  "a service": { isServed: true }
}

export const readSessions = (name: string): ReadonlyArray<Session> =>
  blocksOf(name).reduce<ReadonlyArray<Session>>((sessions, { head, line, options, showsRequests }) => {
    const last = sessions.at(-1)
    return last === undefined || head !== ""
      ? [...sessions, { head, ...options, ...hidden[options.about ?? ""], lines: [line], showsRequests }]
      : [...sessions.slice(0, -1), {
        ...last,
        lines: [...last.lines, line],
        showsRequests: last.showsRequests === true || showsRequests
      }]
  }, [])
