/** The export and its report, with the sandbox. The command line is its bundle. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { report, update } from "../src/Transfers.ts"

const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"

const bundle = fileURLToPath(new URL("../../../apps/cli/dist/quarry.js", import.meta.url))

let folder = ""
const path = process.env["PATH"]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quarry-example-"))
  await writeFile(join(folder, "quarry"), `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`, {
    mode: 0o755
  })
  process.env["PATH"] = `${folder}${delimiter}${path}`
})

afterAll(async () => {
  process.env["PATH"] = path
  await rm(folder, { recursive: true })
})

it("exports every transfer once, and reports exact totals of the last seven days", async () => {
  const file = join(folder, "transfers.parquet")
  expect(await update(wallet, file, ["--sandbox"])).toBe(0)
  const totals = await report(file)
  // The second run finds nothing new: the sandbox has added no blocks.
  expect(await update(wallet, file, ["--sandbox"])).toBe(0)
  expect(await report(file)).toEqual(totals)

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bundle, "wallet", "transfers", wallet, "--all", "-o", "ndjson", "--sandbox"],
    { maxBuffer: 1 << 28 }
  )
  const transfers = stdout.trim().split("\n").map((line) => Object(JSON.parse(line)))
  const dayOf = ({ block_timestamp: time }: { readonly block_timestamp: string }) => time.slice(0, 10)
  const days = [...new Set(transfers.map(dayOf))].toSorted().toReversed().slice(0, 7)
  expect([...new Set(totals.map(({ day }) => day))]).toEqual(days)
  for (const { day, token, total, transfers: count } of totals) {
    const own = transfers.filter((transfer) => dayOf(transfer) === day && transfer.address === token)
    expect([day, token, count, total]).toEqual([
      day,
      token,
      own.length,
      String(own.reduce((sum, { value }) => sum + BigInt(value), 0n))
    ])
  }
  expect(totals.reduce((sum, { transfers: count }) => sum + count, 0))
    .toBe(transfers.filter((transfer) => days.includes(dayOf(transfer))).length)
})

it("returns the exit status of a run that failed", async () => {
  expect(await update("not an address", join(folder, "none.parquet"), ["--sandbox"])).toBe(2)
})
