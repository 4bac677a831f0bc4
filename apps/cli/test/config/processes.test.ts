/** Configuration files and the bundled program in several processes. */
import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { program, runProcess } from "../support/process.ts"

const quarry = (home: string, argv: ReadonlyArray<string>) => runProcess(argv, { HOME: home }, home)

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
    const script = `mkdir removed && cd removed && rmdir ../removed && PWD= exec "$0" "$1" config get chain`
    const out = execFileSync("sh", ["-c", script, process.execPath, program], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8"
    })
    expect(out).toBe("eth\n")
  }))
