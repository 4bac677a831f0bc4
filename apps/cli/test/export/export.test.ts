/** Exports to files: what they contain, which files they refuse to touch, and how they continue. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { exportTo, filesIn, partLimits, readParquet, refused } from "../support/exports.ts"
import { records, sandboxEnvironment } from "../support/quarry.ts"

/** A text and a binary format. NDJSON is as CSV without a header. */
const formats = ["csv", "parquet"] as const

/** Three parts. */
const scale = 1250

const done = { code: 0 }

const textOf = (file: string): string => readFileSync(file, "utf8")

describe("the file", () => {
  it.each(["ndjson", "csv"])("contains what -o %s prints", async (format) => {
    const { argv, file, list, run } = await exportTo(`transfers.${format}`, { scale: 300 })
    const printed = await run([...list, "--all", "-o", format])
    const exported = await run(argv)
    expect(exported).toMatchObject({ code: 0, out: "" })
    expect(exported.err).toMatch(/^exported \d+ transfers to .* pages? in /m)
    expect(textOf(file)).toBe(printed.out)
  })

  it("is a parquet file with exact amounts as text, and rounded ones", async () => {
    const { argv, file, list, run } = await exportTo("transfers.parquet", { scale: 300 })
    const printed = records((await run([...list, "--all", "-o", "ndjson"])).out)
    await run(argv)
    const rows = await readParquet(file)
    expect(rows).toHaveLength(printed.length)
    for (const [index, { value_f64: rounded, ...columns }] of rows.entries()) {
      const expected = printed[index] ?? {}
      expect(rounded).toBe(Number(expected["value"]))
      const integers = ["block_number", "token_decimals", "transaction_index", "log_index"]
      expect(columns).toEqual({
        ...expected,
        block_timestamp: new Date(String(expected["block_timestamp"])),
        ...Object.fromEntries(integers.map((name) => [name, BigInt(String(expected[name]))]))
      })
    }
  })

  it("has one column for each field of a nested object, and JSON text for arrays", async () => {
    const { file, run, sandbox } = await exportTo("nfts.parquet")
    const list = ["nft", "list", sandbox.ledger.examples.collection721, "--normalize-metadata"]
    const { out } = await run([...list, "--all", "-o", "ndjson"])
    await run([...list, "--to", file])
    const rows = await readParquet(file)
    for (const [index, { last_sale: sale, normalized_metadata: metadata }] of records(out).entries()) {
      const price = Object(sale)["price"] ?? null
      expect(rows[index]).toMatchObject({
        "last_sale.price": price,
        "last_sale.price_f64": price === null ? null : Number(price),
        normalized_metadata: metadata === null ? null : JSON.stringify(metadata)
      })
    }
    expect(rows.some((row) => row["last_sale.price"] !== null)).toBe(true)
  })

  it.each(formats)(
    "contains the selected fields in their order, also of an empty list: %s",
    async (format) => {
      const { argv, file, run, sandbox } = await exportTo(`transfers.${format}`, { scale: 30 })
      const fields = ["--fields", "value,block_number"]
      await run([...argv, ...fields])
      if (format === "csv") expect(textOf(file)).toMatch(/^value,block_number\r\n\d+,\d+\r\n/)
      else {expect(Object.keys((await readParquet(file))[0] ?? {})).toEqual([
          "value",
          "value_f64",
          "block_number"
        ])}
      const { emptyWallet } = sandbox.ledger.examples
      await run(["wallet", "transfers", emptyWallet, "--to", file, "--overwrite", ...fields])
      if (format === "csv") expect(textOf(file)).toBe("value,block_number\r\n")
      else expect(await readParquet(file)).toEqual([])
    }
  )

  it("contains --max-items records, and the results of --jq", async () => {
    const { argv, file, run } = await exportTo("values.ndjson", { scale: 300 })
    await run([...argv, "--max-items", "150", "--jq", ".value"])
    expect(textOf(file)).toMatch(/^(?:"\d+"\n){150}$/)
    const failed = await run([...argv, "--overwrite", "--jq", ".value + 1"])
    expect(failed).toMatchObject({ code: 2, err: expect.not.stringContaining("continue with") })
  })
})

describe("the manifest", () => {
  it("describes the query and each part, and contains no API key", async () => {
    const { argv, file, run, wallet } = await exportTo("transfers.ndjson", { scale })
    await run(argv)
    const text = textOf(`${file}.manifest.json`)
    const manifest: unknown = JSON.parse(text)
    expect(text).not.toContain(sandboxEnvironment.QUARRY_API_KEY)
    const bytes = readFileSync(file)
    const lines = bytes.toString().trimEnd().split("\n")
    const parts: ReadonlyArray<Record<string, unknown>> = Object(manifest).parts
    expect(manifest).toMatchObject({
      version: 1,
      status: "complete",
      bytes: bytes.length,
      query: { operation: "walletTransfers", input: { address: wallet }, format: { name: "ndjson" } }
    })
    let offset = 0
    for (const [index, part] of parts.entries()) {
      const end = offset + Number(part["bytes"])
      expect(part).toMatchObject({
        cursor: index === parts.length - 1 ? null : expect.any(String),
        sha256: createHash("sha256").update(bytes.subarray(offset, end)).digest("hex")
      })
      offset = end
    }
    expect([parts.map((part) => part["rows"]), offset]).toEqual([
      [partLimits.records, partLimits.records, lines.length - 2 * partLimits.records],
      bytes.length
    ])
  })

  it("of another query or service is refused with the difference, and nothing changes", async () => {
    const { argv, file, folder, run } = await exportTo("transfers.csv", { scale })
    const at = (baseUrl: string) => ({
      env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none", QUARRY_BASE_URL: baseUrl }
    })
    await run(argv, { ...at("https://one.example"), requests: 12 })
    expect(textOf(`${file}.manifest.json`)).toContain(`"service": "https://one.example"`)
    expect(await run([...argv, "--resume"], at("https://two.example")))
      .toMatchObject(refused("(service: https://one.example -> https://two.example)"))
    expect(await run([...argv, "--resume"], at("https://one.example"))).toMatchObject(done)
    const before = readFileSync(file)
    for (const mode of ["--resume", "--since-last"]) {
      const { code, err } = await run([...argv, "--chain", "polygon", mode], at("https://one.example"))
      expect(code).toBe(2)
      expect(err).toContain("is the export of another query (--chain: eth -> polygon)")
      expect(err).toContain("--overwrite")
    }
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
  })

  it("is refused if it is damaged", async () => {
    const { argv, file, run } = await exportTo("transfers.parquet", { scale: 150 })
    const manifest = `${file}.manifest.json`
    await run(argv, { requests: 2 })
    const text = textOf(manifest)
    expect(JSON.parse(text)).toMatchObject({ parts: [], tail: { records: 100 } })
    for (
      const [part, other] of [
        [/"version": 1/, "\"version\": 2"],
        [/"lines": "[^"]*"/, "\"lines\": \"AAAA\""],
        [/"lines": "[^"]*"/, "\"lines\": \"\""]
      ] as const
    ) {
      writeFileSync(manifest, text.replace(part, other))
      expect(await run([...argv, "--resume"])).toMatchObject(refused("not a manifest of this version"))
    }
  })
})

describe("existing files", () => {
  it("are refused without an option that says what to do", async () => {
    const { argv, file, run } = await exportTo("transfers.ndjson", { scale: 30 })
    writeFileSync(file, "precious")
    for (const mode of [[], ["--resume"], ["--since-last"]]) {
      expect(await run([...argv, ...mode])).toMatchObject(refused("--overwrite to replace it"))
    }
    expect(textOf(file)).toBe("precious")
    await run([...argv, "--overwrite"])
    expect(textOf(file)).toMatch(/^\{/)
    expect(await run(argv)).toMatchObject(refused("--since-last to append what is new"))
  })

  it("do not remain from an export that failed before its first part", async () => {
    const { argv, folder, run } = await exportTo("transfers.ndjson", { scale: 30 })
    for (
      const [code, options] of [
        [2, { requests: 0 }],
        [4, { env: { ...sandboxEnvironment, QUARRY_API_KEY: "wrong" } }]
      ] as const
    ) {
      expect(await run([...argv, "--chain", "bsc"], options))
        .toMatchObject({ code, err: expect.not.stringContaining("continue with") })
      expect(filesIn(folder)).toEqual([])
    }
    expect(await run(argv)).toMatchObject(done)
  })
})

describe("an interrupted export", () => {
  it("is refused without --resume, and continues byte for byte with it", async () => {
    const { argv, file, folder, list, run } = await exportTo("transfers.csv", { scale: 300 })
    const other = join(folder, "whole.csv")
    await run([...list, "--to", other])
    const whole = readFileSync(other)
    expect((await run(argv, { requests: 3 })).err).toMatch(
      /interrupted after 150 transfers \(all saved\); continue with\nquarry wallet transfers .* --resume$/m
    )
    expect(existsSync(file)).toBe(false)
    expect((await run(argv)).err).toContain("has 150 rows\nhint: use --resume to continue it")
    expect(await run([...argv, "--resume"])).toMatchObject(done)
    expect(readFileSync(file).equals(whole)).toBe(true)
    // The process may end before it renames the file
    renameSync(file, `${file}.partial`)
    expect(await run([...argv, "--resume"], { requests: 0 })).toMatchObject(done)
    expect(readFileSync(file).equals(whole)).toBe(true)
    expect(filesIn(folder).filter((name) => name.startsWith("transfers"))).toEqual([
      "transfers.csv",
      "transfers.csv.manifest.json"
    ])
  })

  /** What may become of the partial file between two runs. */
  const damages: ReadonlyArray<((partial: string) => void) | null> = [
    null,
    null,
    (partial) => appendFileSync(partial, "half of a part"),
    (partial) => rmSync(partial),
    (partial) => {
      const bytes = readFileSync(partial)
      bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
      writeFileSync(partial, bytes)
    }
  ]

  const anyRun = FastCheck.record({
    requests: FastCheck.nat(5),
    limit: FastCheck.constantFrom(50, 30, 7),
    damage: FastCheck.constantFrom(...damages)
  })

  /** The size of a part, which then has 100 records or more. */
  it.each<readonly [format: string, partBytes: number, options: ReadonlyArray<string>]>([
    ["csv", 30_000, []],
    ["parquet", 30_000, []],
    ["ndjson", 300, ["--jq", "select(.block_number % 50 == 0)"]]
  ])(
    "is byte for byte the undisturbed one, wherever it ends, with pages of any size and a damaged file: %s",
    async (format, partBytes, options) => {
      const { argv: all, file, folder, run, sandbox } = await exportTo(`transfers.${format}`, { scale: 300 })
      const argv = [...all, ...options]
      await run(argv, { partBytes })
      const whole = readFileSync(file)
      expect(JSON.parse(textOf(`${file}.manifest.json`)).parts.length).toBeGreaterThan(1)
      await FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(anyRun, { minLength: 1, maxLength: 4 }),
          async (runs) => {
            for (const name of filesIn(folder)) rmSync(join(folder, name))
            let isSaved = false
            for (const { damage, limit, requests } of [...runs, { damage: null, limit: 50, requests: 99 }]) {
              await Effect.runPromise(sandbox.clearRecordedRequests)
              const options = { partBytes, requests }
              const { err } = await run([...argv, "--resume", "--limit", String(limit)], options)
              expect(err).toMatch(
                /^interrupted after .*\((?:all|none) saved\)|is complete$|^exported|^error: .* \(400\)/m
              )
              const [first] = await Effect.runPromise(sandbox.recordedRequests)
              if (isSaved && first !== undefined) {
                expect(first.query.map(([name]) => name)).toContain("cursor")
              }
              isSaved ||= requests > 0
              if (damage === null || !existsSync(`${file}.partial`)) continue
              damage(`${file}.partial`)
              isSaved = false
            }
            expect(readFileSync(file).equals(whole)).toBe(true)
            expect(filesIn(folder)).toEqual([`transfers.${format}`, `transfers.${format}.manifest.json`])
          }
        ),
        { numRuns: isFull ? 40 : 5 }
      )
    }
  )
})

describe("--since-last", () => {
  it.each(formats)("appends the records of new blocks: %s", async (format) => {
    const { file, folder, list, run, sandbox } = await exportTo(`transfers.${format}`, { scale: 100 })
    const argv = [...list, "--order", "asc", "--to"]
    const rows = async (name: string) =>
      format === "parquet" ? await readParquet(name) : textOf(name).split("\n")
    for (const blocks of [0, 40, 0]) {
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

  it("appends at most --max-items records in each run", async () => {
    const { argv, file, list, run } = await exportTo("transfers.parquet")
    const limited = [...argv, "--order", "asc", "--max-items", "2"]
    for (let runs = 0; runs < 4; runs++) await run([...limited, "--since-last"])
    const { out } = await run([...list, "--order", "asc", "--max-items", "8", "-o", "ndjson"])
    expect((await readParquet(file)).map(({ transaction_hash: hash }) => hash))
      .toEqual(records(out).map(({ transaction_hash: hash }) => hash))
    expect(await run([...argv, "--max-items", "2", "--since-last"]))
      .toMatchObject(refused("use --order asc"))
  })

  it("ignores a copy of the file that a crash left behind, and refuses a file that has changed", async () => {
    const { argv, file, folder, run } = await exportTo("transfers.csv", { scale: 300 })
    await run(argv)
    const whole = readFileSync(file)
    for (const mode of ["--resume", "--since-last"]) {
      for (const copy of [whole, whole.subarray(0, 1000), Buffer.alloc(whole.length)]) {
        writeFileSync(`${file}.partial`, copy)
        expect(await run([...argv, mode])).toMatchObject(done)
        expect(readFileSync(file).equals(whole)).toBe(true)
        expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
      }
    }
    writeFileSync(file, whole.toString().replace("0x", "0X"))
    expect(await run([...argv, "--since-last"])).toMatchObject(refused("has changed since it was exported"))
  })

  it("refuses lists without blocks, and --cursor", async () => {
    const { argv, file, run, sandbox } = await exportTo("owners.csv")
    expect(await run(["token", "owners", sandbox.ledger.examples.token, "--to", file, "--since-last"]))
      .toMatchObject(refused("requires a list with a range of blocks"))
    expect(await run([...argv, "--since-last", "--cursor", "x"]))
      .toMatchObject(refused("--since-last and --cursor"))
  })
})
