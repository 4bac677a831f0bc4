/** Runs the bundled program as a process. */
import { execFile, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { distribution } from "./support/program.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const output = mkdtempSync(join(tmpdir(), "quarry-proxy-"))
const program = join(output, "quarry-proxy.js")

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Few tests need the admin listener, and its port is fixed. */
const environment = { PATH: process.env["PATH"] ?? "", QUARRY_PROXY_ADMIN: "off" }

const run = (args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => execFile(process.execPath, [program, ...args], (_, stdout) => resolve(stdout)))

/** Starts the program and waits for the last line of its startup banner. */
const up = async (
  args: ReadonlyArray<string>,
  nodeOptions: ReadonlyArray<string> = [],
  launcher: ReadonlyArray<string> = []
) => {
  const [command = "", ...others] = [...launcher, process.execPath, ...nodeOptions, program, ...args]
  const child = spawn(command, others, { env: environment })
  let stdout = ""
  let stderr = ""
  child.stderr.on("data", (text: Buffer) => {
    stderr += text.toString()
  })
  child.stdout.on("data", (text: Buffer) => {
    stdout += text.toString()
  })
  /** Waits until the program has printed a text, and returns all that it has printed. */
  const printed = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        if (stdout.includes(text)) resolve(stdout)
      }
      check()
      child.stdout.on("data", check)
      child.once("exit", () => reject(new Error(`the program exited: ${stdout}${stderr}`)))
    })
  await printed("Press Ctrl-C to stop")
  const stop = (signal: NodeJS.Signals | "Ctrl-C") =>
    new Promise<Ended>((resolve) => {
      child.once("close", (code) => resolve({ code, stdout, stderr }))
      if (signal === "Ctrl-C") child.stdin.write("\x03")
      else child.kill(signal)
    })
  return { printed, stdout, stop }
}

const bundle = (): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ["../../scripts/bundle.mjs", "src/main.ts", program],
      { cwd: root },
      (error) => error === null ? resolve() : reject(error)
    )
  })

beforeAll(() => cpSync(distribution, output, { recursive: true }))

describe("quarry-proxy", () => {
  it("is bundled into a folder with other files, which stay there", async () => {
    const stale = join(output, "quarry-proxy-chunks/of-an-earlier-bundle.js")
    const others = ["notes.txt", "chunks/other-program.js"].map((name) => join(output, name))
    mkdirSync(join(output, "chunks"))
    for (const file of [...others, stale]) writeFileSync(file, "")
    await bundle()
    expect(existsSync(stale)).toBe(false)
    expect(others.filter((file) => existsSync(file))).toEqual(others)
  })

  it("sets its options of V8 however it is started, except those of the command line", async () => {
    const preload = join(output, "reportFlags.cjs")
    writeFileSync(
      preload,
      `const v8 = require("node:v8")
       const { setFlagsFromString } = v8
       v8.setFlagsFromString = (flag) => {
         process.stdout.write("set " + flag + "\\n")
         setFlagsFromString(flag)
       }
       // A part of each semi-space is not available, and only one of the two has memory at times.
       const sizes = [2 ** 24, 2 ** 20]
       v8.getHeapSpaceStatistics = () => {
         const size = sizes.shift() ?? 2 ** 20
         const used = size / 4
         const available = size * 0.984 - used
         return [
           { space_name: "new_space", space_size: size, space_used_size: used, space_available_size: available }
         ]
       }
       require("node:module").syncBuiltinESMExports()
       setInterval(() => globalThis.gc?.(), 10).unref()`
    )
    const flagsOf = async (options: ReadonlyArray<string>, last: string) => {
      const { printed, stop } = await up(["--sandbox", "--port", "0"], ["--require", preload, ...options])
      const stdout = await printed(`set ${last}\n`)
      await stop("SIGINT")
      return [...stdout.matchAll(/^set (.*)$/gm)].map(([, flag]) => flag)
    }
    expect(await flagsOf(["--expose-gc"], "--semi-space-growth-factor=16")).toEqual([
      "--no-allocation-site-pretenuring",
      "--no-parallel-scavenge",
      // The young generation grows again in one step after V8 has shrunk it.
      "--semi-space-growth-factor=1",
      "--semi-space-growth-factor=16"
    ])
    const options = ["--parallel_scavenge", "--max-semi-space-size=16"]
    expect(await flagsOf(options, "--no-allocation-site-pretenuring")).toEqual([
      "--no-allocation-site-pretenuring"
    ])
  })

  it("prints working curl commands with --sandbox, and stops on SIGINT", async () => {
    const { stdout, stop } = await up(["--", "--sandbox", "--port=0"])
    const lines = stdout.split("\n").filter((line) => line.startsWith("  curl "))
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      const url = /'(http:[^']+)'/.exec(line)?.[1] ?? ""
      const body = /-d '([^']+)'/.exec(line)?.[1]
      const [, name = "", value = ""] = /-H '([^:']+): ([^']+)'/.exec(line) ?? []
      const headers = { [name]: value }
      const response = await fetch(url, body === undefined ? {} : { method: "POST", headers, body })
      expect([url, response.status]).toEqual([url, 200])
      await response.text()
    }
    const { code, stderr } = await stop("SIGINT")
    expect(code).toBe(0)
    const logEntries = stderr.trim().split("\n").map((line) => JSON.parse(line))
    expect(logEntries.map(({ message }) => message).filter((message) => message !== "request"))
      .toEqual([expect.stringMatching(/^listening/), "shutting down", "stopped"])
    const logged = logEntries.filter(({ message }) => message === "request")
    expect(logged.map(({ message, status }) => [message, status]))
      .toEqual(lines.map(() => ["request", 200]))
  })

  it("makes tokens for a client and an operator, which the printed configuration accepts", async () => {
    const made = await run(["token", "indexer"])
    const token = /qp_[\w-]{43}/.exec(made)?.[0] ?? ""
    const [clients = ""] = made.slice(made.indexOf("clients:")).split("\n\n")
    const [admin = ""] = made.slice(made.indexOf("admin:")).split("\n\n")
    const config = join(output, "quarry-proxy.yaml")
    writeFileSync(config, `upstream:\n  sandbox: true\n${clients}\n${admin}\n`)

    const { stdout, stop } = await up(["--config", config, "--port=0", "--admin", "127.0.0.1:0"])
    const [origin = "", status = ""] = [/is listening at (\S+)/, /status page: +(\S+)/].map((line) =>
      line.exec(stdout)?.[1] ?? ""
    )
    const path = /'http:\/\/[^/]+(\/[^']+\/price[^']+)'/.exec(stdout)?.[1] ?? ""
    const statusOf = async (url: string, headers = {}) => (await fetch(url, { headers })).status
    for (const url of [origin + path, `${status}/usage`]) {
      expect([await statusOf(url), await statusOf(url, { "x-api-key": token })]).toEqual([401, 200])
    }
    const { code, stderr } = await stop("SIGINT")
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain(token)
  })

  it("prints an admin token on a terminal only, and otherwise says which key is missing", async () => {
    const args = ["--sandbox", "--port=0", "--admin", "127.0.0.1:0"]
    const statusOf = async (stdout: string) => {
      const [, url = "", token = ""] = /status page: +(http:[^\s#]+)(?:#token=(\S+))?/.exec(stdout) ?? []
      const { status } = await fetch(new URL("/status.json", url), { headers: { "x-api-key": token } })
      return [token.length, status]
    }
    const terminal = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    const onTerminal = await up(args, [], ["python3", "-c", terminal])
    expect(await statusOf(onTerminal.stdout)).toEqual([46, 200])
    const stopped = await onTerminal.stop("Ctrl-C")
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.not.stringContaining("admin.tokens")])

    const inPipe = await up(args)
    expect(await statusOf(inPipe.stdout)).toEqual([0, 401])
    const { stderr, stdout } = await inPipe.stop("SIGINT")
    expect(stdout + stderr).not.toContain("qp_")
    expect(stderr.match(/admin\.tokens in a configuration file \(--config\)/g)).toHaveLength(1)
  })
})
