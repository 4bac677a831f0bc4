/** Runs the bundled program as a process. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type Launch, Workshop } from "./golden-config/processes.ts"

const workshop = new Workshop()
const output = join(workshop.folder, "dist")

/** Few tests need the admin listener, and its port is fixed. */
const env = { QUARRY_PROXY_ADMIN: "off" }

const start = (args: ReadonlyArray<string>, launch: Launch = {}) =>
  workshop.start(
    { title: "", args, env, files: {}, signal: "SIGINT" },
    (text) => text,
    launch
  )

/** Starts the program and waits for the last line of its startup banner. */
const up = async (args: ReadonlyArray<string>, launch: Launch = {}) => {
  const running = start(args, launch)
  await running.until(({ stdout }) => stdout.includes("Press Ctrl-C to stop"))
  const stop = () => {
    running.signal("SIGINT")
    return running.ended()
  }
  return { running, stdout: running.written.stdout, stop }
}

afterAll(() => workshop.remove())

describe("quarry-proxy", () => {
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
      const { running, stop } = await up(["--sandbox", "--port", "0"], {
        nodeOptions: ["--require", preload, ...options]
      })
      await running.until(({ stdout }) => stdout.includes(`set ${last}\n`))
      const { stdout } = await stop()
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
    const { code, stderr } = await stop()
    expect(code).toBe(0)
    const logEntries = stderr.trim().split("\n").map((line) => JSON.parse(line))
    expect(logEntries.map(({ message }) => message).filter((message) => message !== "request"))
      .toEqual([expect.stringMatching(/^listening/), "shutting down", "stopped"])
    const logged = logEntries.filter(({ message }) => message === "request")
    expect(logged.map(({ message, status }) => [message, status]))
      .toEqual(lines.map(() => ["request", 200]))
  })

  it.skipIf(!existsSync("/dev/full"))(
    "fails if help cannot be written, but not if the reader has closed the pipe",
    async () => {
      const into = (redirection: string) =>
        start(["--help"], { launcher: ["sh", "-c", `"$@" ${redirection}`, "sh"] }).ended()
      expect(await into("> /dev/full")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("quarry-proxy: cannot write output: ENOSPC")
      })
      expect(await into("| true")).toEqual({ code: 0, stdout: "", stderr: "" })
    }
  )

  it("makes tokens for a client and an operator, which the printed configuration accepts", async () => {
    const { stdout: made } = await start(["token", "indexer"]).ended()
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
    for (const url of [origin + path, `${status}/status.json`]) {
      expect([await statusOf(url), await statusOf(url, { "x-api-key": token })]).toEqual([401, 200])
    }
    const { code, stderr } = await stop()
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
    const onTerminal = await up(args, { launcher: ["python3", "-c", terminal] })
    expect(await statusOf(onTerminal.stdout)).toEqual([46, 200])
    onTerminal.running.type("\x03")
    const stopped = await onTerminal.running.ended()
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.not.stringContaining("admin.tokens")])

    const inPipe = await up(args)
    expect(await statusOf(inPipe.stdout)).toEqual([0, 401])
    const { stderr, stdout } = await inPipe.stop()
    expect(stdout + stderr).not.toContain("qp_")
    expect(stderr.match(/admin\.tokens in a configuration file \(--config\)/g)).toHaveLength(1)
  })
})
