/**
 * What a list says it printed is what its output accepted: real pipes with readers that are slow or late, and files
 * that cannot grow. A list that is continued has every record once.
 */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Server from "@blockquarry/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { temporaryFolder } from "../support/exports.ts"
import { exitOf, type ProcessResult, program, type Variables } from "../support/process.ts"
import { transferIds } from "../support/quarry.ts"

/** Its pages are no multiple of what a write contains. */
const pageSize = 19
const list = ["wallet", "transfers", exampleValues.wallet, "--all", `--limit=${pageSize}`, "--sandbox"]

/** Runs a script of bash, for which `$QUARRY` is the program. `use` acts while it runs. */
const bash = async (
  script: string,
  words: ReadonlyArray<string>,
  variables: Variables = {},
  use: (kill: (signal: NodeJS.Signals) => void) => Promise<void> = async () => {}
): Promise<ProcessResult> => {
  const child = spawn("bash", ["--norc", "-c", script, "bash", ...words], {
    env: { PATH: process.env["PATH"], QUARRY: `${process.execPath} ${program}`, ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = exitOf(child)
  await use((signal) => child.kill(signal))
  return ended
}

/** Runs the program with a pipe that is read in small pieces. After some of them, sends a signal. */
const withSlowReader = async (
  words: ReadonlyArray<string>,
  signal: NodeJS.Signals,
  variables: Variables = {},
  redirection = ""
): Promise<ProcessResult> => {
  const pipe = join(temporaryFolder(), "pipe")
  execFileSync("mkfifo", [pipe])
  const read: Array<Buffer> = []
  const ended = await bash(
    `exec $QUARRY "$@" > "$PIPE" ${redirection}`,
    words,
    { ...variables, PIPE: pipe },
    async (kill) => {
      const reader = await fs.open(pipe, "r")
      while (true) {
        const { buffer, bytesRead } = await reader.read(Buffer.alloc(1000))
        if (bytesRead === 0) break
        read.push(buffer.subarray(0, bytesRead))
        if (read.length === 20) kill(signal)
      }
      await reader.close()
    }
  )
  return { ...ended, out: Buffer.concat(read).toString() }
}

const wholes = new Map<string, Promise<ProcessResult>>()

/** The output that nothing interrupts. */
const whole = async (options: ReadonlyArray<string> = []): Promise<string> => {
  const name = options.join(" ")
  const ended = wholes.get(name) ?? bash("$QUARRY \"$@\"", [...list, ...options])
  wholes.set(name, ended)
  return (await ended).out
}

/** Runs the command that continues, without its timeout. */
const runRest = (err: string): Promise<ProcessResult> => {
  const command = /^  quarry (.*)$/m.exec(err)?.[1]?.replace(/--timeout=\S+/, "") ?? ""
  return bash("eval \"$QUARRY $COMMAND\"", [], { COMMAND: command })
}

/** Returns the lines of records. Fails if the last line is cut. */
const rows = (format: string, out: string): ReadonlyArray<string> => {
  expect(out).toMatch(format === "json" ? /\n\]\n$/ : /\n$/)
  const lines = out.split(/\r?\n/).slice(0, -1)
  return format === "json"
    ? lines.slice(1, -1).map((line) => line.replace(/,$/, ""))
    // The layout of a table depends on its first records, and has a column for spam only if one of them is
    : lines.slice(format === "csv" || format === "table" ? 1 : 0).map((line) =>
      line.replace(/ +/g, " ").replace(/ spam$/, "")
    )
}

/** Checks that the output has the records that the message counts, and that the rest follows them. */
const expectContinued = async (
  format: string,
  options: ReadonlyArray<string>,
  { err, out }: ProcessResult
): Promise<void> => {
  const all = rows(format, await whole(options))
  const printed = rows(format, out)
  const count = Number(/interrupted after (\d+) /.exec(err)?.[1])
  const rest = rows(format, (await runRest(err)).out)
  expect(count).toBeGreaterThan(0)
  // The records of the results of an expression are unknown, so the results of a page belong together
  const repeated = format === "jq" ? printed.length - 2 * count : 0
  expect(repeated).toBeGreaterThanOrEqual(0)
  expect(repeated).toBeLessThan(2 * pageSize)
  expect(err.includes("(the results of the last page will be repeated)")).toBe(repeated > 0)
  if (format !== "jq") expect(printed).toHaveLength(count)
  expect([...printed.slice(0, printed.length - repeated), ...rest]).toEqual(all)
}

/** Adds the end of an array, for which the output has no room. */
const closed = (format: string, ended: ProcessResult): ProcessResult =>
  format === "json" ? { ...ended, out: `${ended.out}\n]\n` } : ended

const formats = [
  ["ndjson", "-o", "ndjson"],
  ["csv", "-o", "csv"],
  ["json", "-o", "json"],
  ["table", "-o", "table"],
  ["jq", "--jq", "., .token_symbol"]
] as const

const signals = [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const

describe.skipIf(process.platform === "win32").each(sample(formats, 5))(
  "a list as %s",
  (format, ...options) => {
    // A signal that arrives while an expression computes ends the process at once, without a message
    it.skipIf(format === "jq").each(sample(signals, 3))(
      "over a pipe with a slow reader, ended by %s with status %i",
      async (signal, status) => {
        const ended = await withSlowReader([...list, ...options], signal)
        expect(ended.code).toBe(status)
        await expectContinued(format, options, ended)
      }
    )

    it("over a pipe whose reader begins when the program has ended", async () => {
      const ended = await bash(
        `mkfifo "$GATE"
       { $QUARRY "$@"; echo > "$GATE"; } | { read -r < "$GATE"; cat; }
       exit \${PIPESTATUS[0]}`,
        [...list, ...options, "--timeout", "2s"],
        { GATE: join(temporaryFolder(), "gate") }
      )
      expect(ended.err).toContain("timed out after")
      await expectContinued(format, options, closed(format, ended))
    })

    it("in a file that cannot grow", async () => {
      const file = join(temporaryFolder(), "out")
      const ended = await bash("ulimit -f 30; $QUARRY \"$@\" > \"$FILE\"", [...list, ...options], {
        FILE: file
      })
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("EFBIG") })
      await expectContinued(format, options, closed(format, { ...ended, out: readFileSync(file, "utf8") }))
    })
  }
)

it.skipIf(process.platform === "win32")("prints the command that continues to a full pipe too", async () => {
  const { out } = await withSlowReader(list, "SIGTERM", {}, "2>&1")
  expect(out).toMatch(/\n  quarry wallet transfers .*--cursor=\S+\n$/)
})

it.effect.skipIf(process.platform === "win32")(
  "a watch saves the records that its reader took, and continues with the next one",
  () =>
    Effect.gen(function*() {
      const { ledger: { chains, examples: { busyToken } } } = yield* Sandbox.Sandbox
      const { origin } = yield* Server.SandboxServer
      const state = join(temporaryFolder(), "state.json")
      const words = ["watch", "token", "transfers", busyToken, "--from-block", "1", "--state", state]
      const ids: Array<string> = []
      for (let run = 0; run < 2; run++) {
        const { code, out } = yield* Effect.promise(() =>
          withSlowReader(words, "SIGTERM", {
            QUARRY_API_KEY: Sandbox.apiKey,
            QUARRY_BASE_URL: origin,
            QUARRY_RATE_LIMIT: "none"
          })
        )
        expect([code, out.endsWith("\n")]).toEqual([143, true])
        ids.push(...transferIds(out))
      }
      const transfers = chains.get("eth")?.tokenTransfers(busyToken)
      const expected = Array.from({ length: transfers?.length ?? 0 }, (_, index) => transfers?.at(index))
        .flatMap((each) => each === undefined ? [] : [`${each.transaction}:${each.logIndex}`])
      expect(ids.length).toBeGreaterThan(40)
      expect(ids).toEqual(expected.slice(0, ids.length))
    }).pipe(Effect.provide(Server.layer({ scale: 2000 })))
)
