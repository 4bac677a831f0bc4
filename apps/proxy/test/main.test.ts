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

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { ...environment, ...env }, timeout: 20_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr })
    )
  })

/** Starts the program and waits for the last line of its startup banner. */
const up = async (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  nodeOptions: ReadonlyArray<string> = [],
  launcher: ReadonlyArray<string> = []
) => {
  const [command = "", ...others] = [...launcher, process.execPath, ...nodeOptions, program, ...args]
  const child = spawn(command, others, { env: { ...environment, ...env } })
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
      const { printed, stop } = await up(["--sandbox", "--port", "0"], {}, ["--require", preload, ...options])
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

  it("sends requests to an upstream over the network", async () => {
    const upstream = await up(["--sandbox", "--port", "0"])
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(upstream.stdout)?.[0] ?? ""
    const proxy = await up(["--port", "0"], {
      QUARRY_API_KEY: "any-key-of-the-service",
      QUARRY_BASE_URL: `${origin}/api/v2.2/`,
      QUARRY_STREAMS_URL: origin,
      QUARRY_LEDGER_URL: `${origin}/v1`
    })
    const proxyOrigin = /http:\/\/127\.0\.0\.1:\d+/.exec(proxy.stdout)?.[0] ?? ""
    const paths = [...upstream.stdout.matchAll(/curl 'http:\/\/[^/]+(\/[^']+)'/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) {
      const [expected, actual] = await Promise.all([origin, proxyOrigin].map((at) => fetch(at + path)))
      expect([path, actual?.status]).toEqual([path, expected?.status])
      expect(await actual?.text()).toBe(await expected?.text())
    }
    expect((await fetch(`${proxyOrigin}/transactions/by_hash/0x${"0".repeat(64)}?network=testnet`)).status)
      .toBe(503)
    await upstream.stop("SIGINT")
    const gone = await fetch(`${proxyOrigin}/streams/evm/a/status`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"status":"paused"}`
    })
    expect([gone.status, await gone.json()]).toEqual([
      502,
      expect.objectContaining({
        code: "upstream-unreachable",
        message: expect.not.stringContaining("127.0.0.1")
      })
    ])
    const stopped = await proxy.stop("SIGINT")
    expect(stopped.code).toBe(0)
    const failed = stopped.stderr.split("\n").find((line) => line.includes("upstream-unreachable")) ?? "{}"
    expect(JSON.parse(failed)).toMatchObject({
      code: "upstream-unreachable",
      detail: expect.stringMatching(new RegExp(`${new URL(origin).host}.*: .`))
    })
  })

  it("has a status page beside it, and makes tokens and configurations that work together", async () => {
    const folder = mkdtempSync(join(tmpdir(), "quarry-proxy-"))
    const made = await run(["token", "indexer"])
    const token = /qp_[\w-]{43}/.exec(made.stdout)?.[0] ?? ""
    const [clients = ""] = made.stdout.slice(made.stdout.indexOf("clients:")).split("\n\n")
    const config = join(folder, "quarry-proxy.yaml")
    const [admin = ""] = made.stdout.slice(made.stdout.indexOf("admin:")).split("\n\n")
    writeFileSync(config, `upstream:\n  sandbox: true\n${clients}\n${admin}\n`)
    const checked = await run(["config", "check", "--config", config])
    expect([checked.code, checked.stdout]).toEqual([0, `${config} is valid\n`])
    const printed = await run(["config", "print", "--config", config])
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining("indexer")])
    const example = await run(["config", "example"])
    expect([example.code, example.stdout]).toEqual([0, expect.stringContaining("clients:")])

    const { stdout, stop } = await up(["--config", config, "--port=0", "--admin", "127.0.0.1:0"])
    expect(stdout).toContain("clients: indexer")
    const [origin = "", status = ""] = [/is listening at (\S+)/, /status page: +(\S+)/].map((line) =>
      line.exec(stdout)?.[1] ?? ""
    )
    const operator = { headers: { "x-api-key": token } }
    const path = /'http:\/\/[^/]+(\/[^']+\/price[^']+)'/.exec(stdout)?.[1] ?? ""
    expect((await fetch(origin + path)).status).toBe(401)
    expect((await fetch(origin + path, { headers: { "x-api-key": token } })).status).toBe(200)
    const usage = await (await fetch(`${status}/usage`, operator)).json()
    expect(usage).toMatchObject({
      clients: expect.arrayContaining([expect.objectContaining({ name: "indexer", requests: 1 })])
    })
    expect((await fetch(`${status}/metrics`)).status).toBe(401)
    expect((await fetch(status)).headers.get("content-type")).toContain("text/html")
    expect(await (await fetch(`${status}/metrics`, operator)).text()).toContain("quarry_proxy_requests_total")
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
    const onTerminal = await up(args, {}, [], ["python3", "-c", terminal])
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
