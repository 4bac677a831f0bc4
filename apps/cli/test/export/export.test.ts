/** Exports to files: what they contain, which files they refuse to touch, and how they continue. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { memoise } from "../../src/list/RecordList.ts"
import { exportSandbox, filesIn, partRows, readParquet, temporaryFolder } from "../support/exports.ts"
import { records, sandboxEnvironment } from "../support/quarry.ts"

const formats = ["ndjson", "csv", "parquet"] as const

/** Three parts. */
const scale = 1250

describe("the file", () => {
  it.each(["ndjson", "csv"])("contains what -o %s prints", async (format) => {
    const { run, wallet } = await exportSandbox({ scale: 300 })
    const file = join(temporaryFolder(), `transfers.${format}`)
    const printed = await run(["wallet", "transfers", wallet, "--all", "-o", format])
    const exported = await run(["wallet", "transfers", wallet, "--to", file])
    expect(exported).toMatchObject({ code: 0, out: "" })
    expect(exported.err).toMatch(/^exported \d+ transfers to .* pages? in /m)
    expect(readFileSync(file, "utf8")).toBe(printed.out)
  })

  it("is a parquet file with exact amounts as text, rounded ones and binary ones", async () => {
    const { run, wallet } = await exportSandbox({ scale: 300 })
    const file = join(temporaryFolder(), "transfers.parquet")
    const printed = records((await run(["wallet", "transfers", wallet, "--all", "-o", "ndjson"])).out)
    await run(["wallet", "transfers", wallet, "--to", file, "--parquet-amounts", "binary"])
    const rows = await readParquet(file)
    expect(rows).toHaveLength(printed.length)
    for (const [index, row] of rows.entries()) {
      const { value_bytes: bytes, value_f64: rounded, ...columns } = row
      const expected = printed[index] ?? {}
      const amount = String(expected["value"])
      expect(rounded).toBe(Number(amount))
      expect(bytes).toEqual(
        bytes === null
          ? null
          : new Uint8Array(Buffer.from(BigInt(amount).toString(16).padStart(64, "0"), "hex"))
      )
      expect(columns).toEqual({
        ...expected,
        block_timestamp: new Date(String(expected["block_timestamp"])),
        block_number: BigInt(String(expected["block_number"])),
        token_decimals: BigInt(String(expected["token_decimals"])),
        transaction_index: BigInt(String(expected["transaction_index"])),
        log_index: BigInt(String(expected["log_index"]))
      })
    }
  })

  it("has one column for each field of a nested object, and JSON text for arrays", async () => {
    const { run, sandbox } = await exportSandbox()
    const file = join(temporaryFolder(), "nfts.parquet")
    const { collection721 } = sandbox.ledger.examples
    const { out } = await run(["nft", "list", collection721, "--all", "-o", "ndjson", "--normalize-metadata"])
    await run(["nft", "list", collection721, "--to", file, "--normalize-metadata"])
    const rows = await readParquet(file)
    for (const [index, record] of records(out).entries()) {
      const sale: unknown = record["last_sale"]
      const price = typeof sale === "object" && sale !== null ? Object(sale)["price"] : null
      expect(rows[index]).toMatchObject({
        token_id: record["token_id"],
        "last_sale.price": price,
        "last_sale.price_f64": price === null ? null : Number(price),
        normalized_metadata: record["normalized_metadata"] === null
          ? null
          : JSON.stringify(record["normalized_metadata"])
      })
    }
    expect(rows.some((row) => row["last_sale.price"] !== null)).toBe(true)
  })

  it.each(formats)("contains the selected fields in their order: %s", async (format) => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), `transfers.${format}`)
    await run(["wallet", "transfers", wallet, "--to", file, "--fields", "value,block_number"])
    const [first] = format === "parquet" ? await readParquet(file) : [readFileSync(file, "utf8")]
    if (typeof first === "string") {
      expect(first).toMatch(
        format === "csv" ? /^value,block_number\r\n\d+,\d+\r\n/ : /^\{"value":"\d+","block_number":\d+\}\n/
      )
    } else expect(Object.keys(first ?? {})).toEqual(["value", "value_f64", "block_number"])
  })

  it.each(formats)("has no rows for an empty list: %s", async (format) => {
    const { run, sandbox } = await exportSandbox()
    const file = join(temporaryFolder(), `transfers.${format}`)
    expect(await run(["wallet", "transfers", sandbox.ledger.examples.emptyWallet, "--to", file]))
      .toMatchObject({ code: 0 })
    if (format === "parquet") expect(await readParquet(file)).toEqual([])
    else expect(readFileSync(file, "utf8").split("\r\n").slice(1).join("")).toBe("")
  })

  it("contains --max-items records, and the results of --jq", async () => {
    const { run, wallet } = await exportSandbox({ scale: 300 })
    const file = join(temporaryFolder(), "values.ndjson")
    await run(["wallet", "transfers", wallet, "--to", file, "--max-items", "150", "--jq", ".value"])
    expect(readFileSync(file, "utf8")).toMatch(/^(?:"\d+"\n){150}$/)
    const failed = await run(["wallet", "transfers", wallet, "--to", `${file}.ndjson`, "--jq", ".value + 1"])
    expect(failed).toMatchObject({ code: 2, err: expect.not.stringContaining("continue with") })
  })
})

describe("the manifest", () => {
  it("describes the query and each part, and contains no API key", async () => {
    const { run, wallet } = await exportSandbox({ scale })
    const file = join(temporaryFolder(), "transfers.ndjson")
    await run(["wallet", "transfers", wallet, "--to", file])
    const text = readFileSync(`${file}.manifest.json`, "utf8")
    const manifest: unknown = JSON.parse(text)
    expect(text).not.toContain(sandboxEnvironment.QUARRY_API_KEY)
    const bytes = readFileSync(file)
    const lines = bytes.toString().trimEnd().split("\n").map((line) => Object(JSON.parse(line)))
    const parts: ReadonlyArray<Record<string, unknown>> = Object(manifest).parts
    expect(manifest).toMatchObject({
      version: 1,
      status: "complete",
      bytes: bytes.length,
      query: { operation: "walletTransfers", input: { address: wallet }, format: { name: "ndjson" } }
    })
    let row = 0
    let offset = 0
    for (const [index, part] of parts.entries()) {
      const end = offset + Number(part["bytes"])
      expect(part).toMatchObject({
        firstBlock: lines[row].block_number,
        lastBlock: lines[row + Number(part["rows"]) - 1].block_number,
        cursor: index === parts.length - 1 ? null : expect.any(String),
        sha256: createHash("sha256").update(bytes.subarray(offset, end)).digest("hex")
      })
      row += Number(part["rows"])
      offset = end
    }
    expect([parts.map((part) => part["rows"]), row, offset]).toEqual([
      [partRows, partRows, lines.length - 2 * partRows],
      lines.length,
      bytes.length
    ])
  })

  it("of another query is refused with the difference, and nothing changes", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const file = join(folder, "transfers.csv")
    await run(["wallet", "transfers", wallet, "--to", file])
    const before = readFileSync(file)
    for (const mode of ["--resume", "--since-last"]) {
      const { code, err } = await run([
        "wallet",
        "transfers",
        wallet,
        "--chain",
        "polygon",
        "--to",
        file,
        mode
      ])
      expect(code).toBe(2)
      expect(err).toContain("is the export of another query (--chain: eth -> polygon)")
      expect(err).toContain("--overwrite")
    }
    expect(readFileSync(file)).toEqual(before)
    expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
  })

  it("of another service is refused with both origins", async () => {
    const { run, wallet } = await exportSandbox({ scale })
    const file = join(temporaryFolder(), "transfers.ndjson")
    const argv = ["wallet", "transfers", wallet, "--to", file]
    const at = (baseUrl: string) => ({
      env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none", QUARRY_BASE_URL: baseUrl }
    })
    await run(argv, { ...at("https://one.example"), requests: 12 })
    expect(readFileSync(`${file}.manifest.json`, "utf8")).toContain(`"service": "https://one.example"`)
    const refused = await run([...argv, "--resume"], at("https://two.example"))
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("(service: https://one.example -> https://two.example)")
    ])
    expect(await run([...argv, "--resume"], at("https://one.example"))).toMatchObject({ code: 0 })
  })
})

describe("a tail of records that no part has", () => {
  const interrupted = async () => {
    const { run, wallet } = await exportSandbox({ scale: 150 })
    const file = join(temporaryFolder(), "transfers.parquet")
    const argv = ["wallet", "transfers", wallet, "--to", file]
    await run(argv, { requests: 2 })
    return { argv, file, run, text: readFileSync(`${file}.manifest.json`, "utf8") }
  }

  it("is kept until a part has its records", async () => {
    const { argv, file, run, text } = await interrupted()
    expect(JSON.parse(text)).toMatchObject({ parts: [], tail: { records: 100 } })
    await run([...argv, "--resume"], { requests: 0 })
    expect(readFileSync(`${file}.manifest.json`, "utf8")).toBe(text)
    expect(await run([...argv, "--resume"])).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(`${file}.manifest.json`, "utf8"))).toMatchObject({ tail: null })
  })

  it.each([
    ["an unknown version", /"version": 1/, "\"version\": 2"],
    ["damaged records", /"lines": "[^"]*"/, "\"lines\": \"AAAA\""],
    ["no records", /"lines": "[^"]*"/, "\"lines\": \"\""]
  ])("is refused with %s", async (_, part, other) => {
    const { argv, file, run, text } = await interrupted()
    writeFileSync(`${file}.manifest.json`, text.replace(part, other))
    const { code, err } = await run([...argv, "--resume"])
    expect([code, err]).toEqual([2, expect.stringContaining("not a manifest of this version")])
  })
})

describe("existing files", () => {
  it("are refused without an option that says what to do", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.ndjson")
    writeFileSync(file, "precious")
    for (const mode of [[], ["--resume"], ["--since-last"]]) {
      const { code, err } = await run(["wallet", "transfers", wallet, "--to", file, ...mode])
      expect(code).toBe(2)
      expect(err).toContain("--overwrite to replace it")
    }
    expect(readFileSync(file, "utf8")).toBe("precious")
    await run(["wallet", "transfers", wallet, "--to", file, "--overwrite"])
    expect(readFileSync(file, "utf8")).toMatch(/^\{/)
    const { code, err } = await run(["wallet", "transfers", wallet, "--to", file])
    expect([code, err]).toEqual([2, expect.stringContaining("--since-last to append what is new")])
  })

  it("stay until the export that replaces them is complete", async () => {
    const { run, wallet } = await exportSandbox({ scale })
    const file = join(temporaryFolder(), "transfers.ndjson")
    writeFileSync(file, "old")
    expect(await run(["wallet", "transfers", wallet, "--to", file, "--overwrite"], { requests: 15 }))
      .toMatchObject({ code: 2 })
    expect(readFileSync(file, "utf8")).toBe("old")
    expect(await run(["wallet", "transfers", wallet, "--to", file, "--resume"])).toMatchObject({ code: 0 })
    expect(readFileSync(file, "utf8")).toMatch(/^\{/)
  })

  it("are replaced by --resume if --overwrite failed before its first part", async () => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 300 })
    const file = join(temporaryFolder(), "transfers.ndjson")
    const argv = ["wallet", "transfers", wallet, "--to", file]
    await run(argv)
    const old = readFileSync(file)
    await Effect.runPromise(sandbox.addBlocks("eth", 100))
    await run([...argv, "--overwrite"], { requests: 0 })
    expect(readFileSync(file).equals(old)).toBe(true)
    expect(await run([...argv, "--resume"])).toMatchObject({ code: 0 })
    expect(readFileSync(file).length).toBeGreaterThan(old.length)
  })

  it("do not remain from an export that failed before its first part", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const file = join(folder, "transfers.ndjson")
    expect(await run(["wallet", "transfers", wallet, "--chain", "bsc", "--to", file], { requests: 0 }))
      .toMatchObject({ code: 2, err: expect.not.stringContaining("continue with") })
    expect(filesIn(folder)).toEqual([])
    expect(
      await run(["wallet", "transfers", wallet, "--to", file], {
        env: { ...sandboxEnvironment, QUARRY_API_KEY: "wrong" }
      })
    ).toMatchObject({ code: 4, err: expect.not.stringContaining("continue with") })
    expect(filesIn(folder)).toEqual([])
    expect(await run(["wallet", "transfers", wallet, "--to", file])).toMatchObject({ code: 0 })
  })

  it("are not changed by --resume when the export is complete", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const file = join(folder, "transfers.parquet")
    await run(["wallet", "transfers", wallet, "--to", file, "--resume"])
    const state = () =>
      [file, `${file}.manifest.json`].map((path) => [readFileSync(path), statSync(path).mtimeMs])
    const before = state()
    const again = await run(["wallet", "transfers", wallet, "--to", file, "--resume"], { requests: 0 })
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("is complete") })
    expect(state()).toEqual(before)
    expect(filesIn(folder)).toEqual(["transfers.parquet", "transfers.parquet.manifest.json"])
  })

  it("are not complete if their size has changed since", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.csv")
    await run(["wallet", "transfers", wallet, "--to", file])
    truncateSync(file, 100)
    expect(await run(["wallet", "transfers", wallet, "--to", file, "--resume"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("has changed since it was exported")
    })
  })
})

describe.each(formats)("an interrupted %s export", (format) => {
  const undisturbed = memoise(async () => {
    const { run, wallet } = await exportSandbox({ scale })
    const argv = ["wallet", "transfers", wallet, "--to"]
    const file = join(temporaryFolder(), `whole.${format}`)
    await run([...argv, file])
    return { argv, run, whole: readFileSync(file) }
  })

  /** Returns the bytes of an undisturbed export, and a file whose export failed after `requests` pages. */
  const interrupted = async (requests: number) => {
    const { argv, run, whole } = await undisturbed()
    const folder = temporaryFolder()
    const file = join(folder, `transfers.${format}`)
    return { argv, failed: await run([...argv, file], { requests }), file, folder, run, whole }
  }

  it("is refused without --resume, and continues byte for byte with it", async () => {
    const { argv, failed, file, folder, run, whole } = await interrupted(12)
    expect(failed.err).toContain(
      "interrupted after 600 transfers (all saved); continue with\nquarry wallet transfers"
    )
    expect(failed.err).toMatch(/--resume$/m)
    expect(existsSync(file)).toBe(false)
    const refused = await run([...argv, file])
    expect(refused.err).toContain("has 600 rows\nhint: use --resume to continue it")
    const resumed = await run([...argv, file, "--resume"])
    expect(resumed).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(whole)).toBe(true)
    expect(filesIn(folder)).toEqual([`transfers.${format}`, `transfers.${format}.manifest.json`])
  })

  it("advances in each run, and continues with pages of any size", async () => {
    const { argv, run, whole } = await undisturbed()
    const file = join(temporaryFolder(), `transfers.${format}`)
    const saved = async (options: ReadonlyArray<string>, requests: number) => {
      const { err } = await run([...argv, file, "--resume", ...options], { requests })
      return /^interrupted after ([\d,]+) transfers \(all saved\); continue with$/m.exec(err)?.[1]
    }
    expect([
      await saved(["--limit", "30"], 1),
      await saved(["--chain", "eth"], 3),
      await saved([], 0),
      await saved([], 19),
      await saved(["--limit", "1"], 2)
    ]).toEqual(["30", "180", "180", "1,130", "1,132"])
    expect(await run([...argv, file, "--resume"])).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(whole)).toBe(true)
  })

  it.each<readonly [title: string, before: number, damage: (partial: string) => void, after: number]>([
    ["ignores what follows the last part", 12, (partial) => appendFileSync(partial, "half of a part"), 30],
    ["fetches damaged parts again", 22, (partial) => {
      const bytes = readFileSync(partial)
      bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
      writeFileSync(partial, bytes)
    }, 20],
    ["starts again if the partial file is gone", 12, (partial) => renameSync(partial, `${partial}.moved`), 30]
  ])("%s", async (_, before, damage, after) => {
    const { argv, file, run, whole } = await interrupted(before)
    damage(`${file}.partial`)
    expect(await run([...argv, file, "--resume"], { requests: after })).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(whole)).toBe(true)
  })

  it("is complete if only the last rename is missing", async () => {
    const { argv, file, run, whole } = await interrupted(12)
    await run([...argv, file, "--resume"])
    renameSync(file, `${file}.partial`)
    expect(await run([...argv, file, "--resume"], { requests: 0 })).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(whole)).toBe(true)
  })

  it("stops at --max-items as if it was not interrupted", async () => {
    const { run, wallet } = await exportSandbox({ scale })
    const folder = temporaryFolder()
    const argv = ["wallet", "transfers", wallet, "--max-items", "775", "--to"]
    await run([...argv, join(folder, `whole.${format}`)])
    await run([...argv, join(folder, `parts.${format}`)], { requests: 12 })
    await run([...argv, join(folder, `parts.${format}`), "--resume"])
    const [whole, parts] = ["whole", "parts"].map((name) => readFileSync(join(folder, `${name}.${format}`)))
    expect(whole?.equals(parts ?? new Uint8Array())).toBe(true)
  })
})

it("continues in the middle of a list of which --jq selects few records", async () => {
  const { run, sandbox, wallet } = await exportSandbox({ scale })
  const file = join(temporaryFolder(), "transfers.ndjson")
  const argv = ["wallet", "transfers", wallet, "--to", file, "--jq", "select(.block_number % 50 == 0)"]
  expect(await run(argv)).toMatchObject({ code: 0 })
  const whole = readFileSync(file)
  expect(await run([...argv, "--overwrite"], { requests: 14 })).toMatchObject({ code: 2 })
  await Effect.runPromise(sandbox.clearRecordedRequests)
  expect(await run([...argv, "--resume"])).toMatchObject({ code: 0 })
  const [first] = await Effect.runPromise(sandbox.recordedRequests)
  expect(first?.query.map(([name]) => name)).toContain("cursor")
  expect(readFileSync(file).equals(whole)).toBe(true)
})

describe("--since-last", () => {
  it.each(formats)("appends the records of new blocks: %s", async (format) => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 100 })
    const folder = temporaryFolder()
    const file = join(folder, `transfers.${format}`)
    const argv = ["wallet", "transfers", wallet, "--order", "asc", "--to"]
    const rows = async (name: string) =>
      format === "parquet" ? await readParquet(name) : readFileSync(name, "utf8").split("\n")
    for (const blocks of [0, 40, 0, 25]) {
      await Effect.runPromise(sandbox.addBlocks("eth", blocks))
      const before = existsSync(file) ? readFileSync(file) : null
      const { code, err } = await run([...argv, file, "--since-last"])
      expect([code, err]).toEqual([0, expect.stringMatching(before === null ? /^exported/m : /^added/m)])
      if (blocks === 0 && before !== null) expect(readFileSync(file).equals(before)).toBe(true)
      const whole = join(folder, `whole.${format}`)
      await run([...argv, whole, "--overwrite"])
      expect(await rows(file)).toEqual(await rows(whole))
    }
    expect(filesIn(folder).filter((name) => name.endsWith("partial") || name.endsWith("lock"))).toEqual([])
  })

  it("appends each record once in a list with the newest first", async () => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 100 })
    const file = join(temporaryFolder(), "transfers.ndjson")
    for (const blocks of [0, 40, 25]) {
      await Effect.runPromise(sandbox.addBlocks("eth", blocks))
      await run(["wallet", "transfers", wallet, "--to", file, "--since-last"])
    }
    const { out } = await run(["wallet", "transfers", wallet, "--all", "-o", "ndjson"])
    const sorted = (text: string) => text.split("\n").sort()
    expect(sorted(readFileSync(file, "utf8"))).toEqual(sorted(out))
  })

  it("appends at most --max-items records in each run, and leaves none out", async () => {
    const { run, wallet } = await exportSandbox()
    const file = join(temporaryFolder(), "transfers.ndjson")
    const argv = ["wallet", "transfers", wallet]
    for (let runs = 0; runs < 4; runs++) {
      await run([...argv, "--order", "asc", "--max-items", "2", "--to", file, "--since-last"])
    }
    const { out } = await run([...argv, "--order", "asc", "--max-items", "8", "-o", "ndjson"])
    expect(readFileSync(file, "utf8")).toBe(out)
    const newestFirst = join(temporaryFolder(), "transfers.csv")
    expect(await run([...argv, "--max-items", "2", "--to", newestFirst, "--since-last"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("use --order asc")
    })
  })

  it("offers to compact a parquet file with many small row groups", async () => {
    const { run, wallet } = await exportSandbox()
    const file = join(temporaryFolder(), "transfers.parquet")
    const argv = ["wallet", "transfers", wallet, "--order", "asc", "--max-items", "2", "--to", file]
    const hints: Array<boolean> = []
    for (let runs = 0; runs < 20; runs++) {
      hints.push((await run([...argv, "--since-last"])).err.includes("to compact it"))
    }
    expect(hints.indexOf(true)).toBe(19)
    expect((await run([...argv, "--overwrite"])).err).not.toContain("to compact it")
  })

  it("continues after an interruption", async () => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 75 })
    const file = join(temporaryFolder(), "transfers.parquet")
    const argv = ["wallet", "transfers", wallet, "--order", "asc", "--to", file]
    await run([...argv, "--since-last"])
    const old = readFileSync(file)
    await Effect.runPromise(sandbox.addBlocks("eth", 400))
    expect(await run([...argv, "--since-last"], { requests: 12 })).toMatchObject({ code: 2 })
    expect(readFileSync(file).equals(old)).toBe(true)
    expect(await run([...argv, "--resume"])).toMatchObject({ code: 0 })
    const { out } = await run(["wallet", "transfers", wallet, "--order", "asc", "--all", "-o", "ndjson"])
    const rows = await readParquet(file)
    expect(rows.map((row) => row["value"])).toEqual(records(out).map((record) => record["value"]))
  })

  it.each(formats)("ignores a copy of the file that a crash left behind: %s", async (format) => {
    const { run, wallet } = await exportSandbox({ scale: 300 })
    const folder = temporaryFolder()
    const file = join(folder, `transfers.${format}`)
    const argv = ["wallet", "transfers", wallet, "--to", file]
    await run(argv)
    const whole = readFileSync(file)
    for (const mode of ["--resume", "--since-last"]) {
      for (const copy of [whole, whole.subarray(0, 1000), Buffer.alloc(whole.length)]) {
        writeFileSync(`${file}.partial`, copy)
        expect(await run([...argv, mode])).toMatchObject({ code: 0 })
        expect(readFileSync(file).equals(whole)).toBe(true)
        expect(filesIn(folder)).toEqual([`transfers.${format}`, `transfers.${format}.manifest.json`])
      }
    }
  })

  it("refuses a file that was changed, lists without blocks, and --cursor", async () => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.csv")
    await run(["wallet", "transfers", wallet, "--to", file])
    writeFileSync(file, readFileSync(file, "utf8").replace("0x", "0X"))
    const changed = await run(["wallet", "transfers", wallet, "--to", file, "--since-last"])
    expect([changed.code, changed.err]).toEqual([
      2,
      expect.stringContaining("has changed since it was exported")
    ])
    const owners = await run([
      "token",
      "owners",
      sandbox.ledger.examples.token,
      "--to",
      "owners.csv",
      "--since-last"
    ])
    expect([owners.code, owners.err]).toEqual([
      2,
      expect.stringContaining("requires a list with a range of blocks")
    ])
    const cursor = await run([
      "wallet",
      "transfers",
      wallet,
      "--to",
      "x.csv",
      "--since-last",
      "--cursor",
      "x"
    ])
    expect([cursor.code, cursor.err]).toEqual([2, expect.stringContaining("--since-last and --cursor")])
  })
})
