/** Runs every example of help with the sandbox. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { exampleLines } from "../../src/help/Help.ts"
import { shellProgram } from "../support/process.ts"

const directory = mkdtempSync(join(tmpdir(), "quarry-"))
const running = new Set<number>()
afterAll(() => {
  for (const pid of running) process.kill(-pid, "SIGKILL")
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})
mkdirSync(join(directory, "bin"))
writeFileSync(join(directory, "bin/quarry"), `#!/bin/sh\nexec ${shellProgram} "$@"\n`, {
  mode: 0o755
})

interface Finished {
  readonly code: number | null
  readonly output: string
}

/** Runs a script in an empty directory, without input, configuration and network. */
const runScript = (
  script: string,
  { home = mkdtempSync(join(directory, "home-")), isEndless = false } = {}
): Promise<Finished> =>
  new Promise((resolve) => {
    const cwd = mkdtempSync(join(directory, "work-"))
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
      cwd,
      detached: true,
      env: {
        PATH: `${join(directory, "bin")}:${process.env["PATH"] ?? ""}`,
        HOME: home,
        QUARRY_SANDBOX: "1"
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const pid = child.pid ?? 0
    running.add(pid)
    let output = ""
    const onData = (data: Buffer) => {
      // The process group, as a terminal does
      if (isEndless && output === "") process.kill(-pid, "SIGINT")
      output += data.toString()
    }
    child.stdout.on("data", onData)
    child.stderr.on("data", onData)
    child.on("close", (code) => {
      running.delete(pid)
      resolve({ code, output })
    })
  })

/** Another program may listen on the default port. */
const onFreePort = (line: string): string => line.replace(/sandbox serve$/, "$& --port 0")

describe("examples of help", () => {
  // Commands of a group share their configuration: a setting is set before it is read or removed
  const homes = new Map(
    commandLine.commands.map(({ path: [group = ""] }) => [group, mkdtempSync(join(directory, "home-"))])
  )
  const rank = ({ path }: typeof commandLine.commands[number]) => {
    const name = path.at(-1)
    return name === "set" ? 0 : name === "unset" ? 2 : 1
  }
  // commands.test.ts runs those of operations without a process
  const commands = commandLine.commands.filter(({ examples, operation, runsUntilInterrupted }) =>
    examples.length > 0 && (isFull || operation === null || runsUntilInterrupted === true)
  )
    .toSorted((one, other) => rank(one) - rank(other))
  for (const command of commands) {
    const isEndless = command.runsUntilInterrupted === true
    it(`run for quarry ${command.path.join(" ")}`, async () => {
      for (const line of exampleLines(command)) {
        const { code, output } = await runScript(isEndless ? `exec ${onFreePort(line)}` : line, {
          home: homes.get(command.path[0] ?? "") ?? directory,
          isEndless
        })
        expect(code, `${line}\n${output}`).toBe(isEndless ? 130 : 0)
      }
    })
  }

  it("exist for every command that calls an operation", () => {
    expect(
      commandLine.commands.filter(({ examples, operation }) => operation !== null && examples.length === 0)
    ).toEqual([])
  })
})
