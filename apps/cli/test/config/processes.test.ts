/** Configuration files and the bundled program in several processes. */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
}

const quarry = (home: string, argv: ReadonlyArray<string>): Promise<Finished> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: home }
    execFile(process.execPath, [program, ...argv], { cwd: home, env }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }))
  })

const withHome = async (use: (home: string) => Promise<void>): Promise<void> => {
  const home = fs.mkdtempSync(join(tmpdir(), "quarry-processes-"))
  try {
    await use(home)
  } finally {
    fs.rmSync(home, { recursive: true })
  }
}

it("loses no change when several processes write at once", () =>
  withHome(async (home) => {
    const names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    const address = `0x${"ab".repeat(20)}`
    const finished = await Promise.all(names.map((name) => quarry(home, ["alias", "set", name, address])))
    expect(finished.map(({ code, err }) => [code, err])).toEqual(
      names.map((name) => [0, `${name} is ${address}\n`])
    )
    const { out } = await quarry(home, ["alias", "list", "-o", "ndjson"])
    const listed = out.trimEnd().split("\n").map((line) => /"name":"(\w+)"/.exec(line)?.[1])
    expect(listed.toSorted()).toEqual(names.toSorted())
    expect(fs.readdirSync(join(home, ".config/quarry"))).toEqual(["config.yaml"])
  }))

it("prints help and the version although the configuration is broken", () =>
  withHome(async (home) => {
    fs.mkdirSync(join(home, ".config/quarry"), { recursive: true })
    fs.writeFileSync(join(home, ".config/quarry/config.yaml"), "chain: [")
    expect((await quarry(home, ["--help"])).code).toBe(0)
    expect((await quarry(home, ["--version"])).code).toBe(0)
    const { code, err } = await quarry(home, ["token", "price", `0x${"ab".repeat(20)}`, "--sandbox"])
    expect([code, err]).toEqual([2, expect.stringMatching(/config\.yaml:1: invalid YAML/)])
  }))

it("runs in a working directory that was removed", () =>
  withHome(async (home) => {
    const removed = join(home, "removed")
    const finished = await new Promise<Finished>((resolve) => {
      execFile(
        "sh",
        [
          "-c",
          "mkdir \"$1\" && cd \"$1\" && rmdir \"$1\" && PWD= exec \"$2\" \"$3\" config get chain",
          "sh",
          removed,
          process.execPath,
          program
        ],
        { env: { PATH: process.env["PATH"], HOME: home } },
        (error, out, err) => resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err })
      )
    })
    expect(finished).toEqual({ code: 0, out: "eth\n", err: "" })
  }))
