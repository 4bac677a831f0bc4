/** The bundled program on file systems that cannot sync folders, such as network and shared folders. */
import { expect, it } from "@effect/vitest"
import { join } from "node:path"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { filesIn, temporaryFolder } from "../support/exports.ts"
import { runProcess } from "../support/process.ts"

/** Runs before the program: opening or syncing a folder fails with a code. */
const preload = (call: "open" | "sync", code: string) =>
  `data:text/javascript,${
    encodeURIComponent(`
      import { promises } from "node:fs"
      import { syncBuiltinESMExports } from "node:module"
      const fail = async () => { throw Object.assign(new Error("${code}"), { code: "${code}" }) }
      const { open, stat } = promises
      promises.open = async (path, ...rest) => {
        const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true
        if (isFolder && "${call}" === "open") return fail()
        const handle = await open(path, ...rest)
        return isFolder ? Object.assign(handle, { sync: fail }) : handle
      }
      syncBuiltinESMExports()
    `)
  }`

const runs = (call: "open" | "sync", code: string, folder: string) => {
  const file = join(folder, "prices.csv")
  const list = ["wallet", "transfers", exampleValues.wallet, "--max-items", "3", "--sandbox"]
  return Promise.all(
    [[...list, "--to", file], ["config", "set", "chain", "polygon"]].map((argv) =>
      runProcess(argv, { HOME: folder, NODE_OPTIONS: `--import "${preload(call, code)}"` })
    )
  )
}

it.each(
  sample(
    [
      ["sync", "EINVAL"],
      ["sync", "EBADF"],
      ["sync", "ENOTSUP"],
      ["open", "EISDIR"],
      ["open", "EACCES"],
      ["sync", "EPERM"]
    ] as const,
    3
  )
)("writes exports and the configuration where folders fail to %s with %s", async (call, code) => {
  const folder = temporaryFolder()
  for (const ran of await runs(call, code, folder)) expect(ran).toMatchObject({ code: 0 })
  // Newer versions of Node.js keep compiled code there
  const files = filesIn(folder).filter((name) => name !== ".cache")
  expect(files).toEqual([".config", "prices.csv", "prices.csv.manifest.json"])
  const configured = await runProcess(["config", "get", "chain"], { HOME: folder })
  expect(configured.out).toBe("polygon\n")
})

it("fails where the disk has an error", async () => {
  for (const ran of await runs("sync", "EIO", temporaryFolder())) {
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("i/o error (EIO)") })
  }
})
