/** Options of exports: invalid combinations, the dry run, timeouts and retries. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { exportTo, filesIn, lockName, refused, temporaryFolder } from "../support/exports.ts"
import { quarry, records, sandboxEnvironment, withRunningClock } from "../support/quarry.ts"

describe("invalid options", () => {
  it.each([
    [
      ["--to", "x.txt"],
      "--to: expected a file name that ends in .ndjson, .jsonl, .csv, .parquet, got \"x.txt\""
    ],
    [["--resume"], "--resume requires --to"],
    [["--take-over"], "--take-over requires --to"],
    [["--to", "x.csv", "--resume", "--overwrite"], "--resume and --overwrite are mutually exclusive"],
    [
      ["--to", "x.csv", "-o", "json"],
      "--output json disagrees with --to x.csv: the extension selects csv\nhint: omit --output; files are ndjson"
    ],
    [["--to", "."], "got \".\"\nhint: for example --to records.parquet"],
    [["--to", "x.csv", "--jq", ".value"], "--jq and a csv file are mutually exclusive"],
    [["--retry-for", "soon"], "--retry-for: expected 0 or a duration such as 30s, 10m or 2h, got \"soon\""]
  ])("%j are refused before anything is sent or written", async (options, message) => {
    const { list, run, sandbox } = await exportTo("")
    expect(await run([...list, ...options])).toMatchObject(refused(message))
    expect(await Effect.runPromise(sandbox.recordedRequests)).toEqual([])
    expect(existsSync("x.csv")).toBe(false)
  })

  it("a file that cannot be written is an output error, also in a dry run", async () => {
    const { file: directory, folder, list, run, sandbox } = await exportTo("d.csv")
    const link = join(folder, "link.csv")
    mkdirSync(directory)
    symlinkSync(link, link)
    for (
      const [file, message] of [
        ["/nonexistent/x.csv", "error: directory /nonexistent does not exist\nhint: create it, or"],
        [directory, `error: ${directory} is a directory\nhint: choose another name\n`],
        [link, "ELOOP"]
      ] as const
    ) {
      for (const options of [["--overwrite"], ["--overwrite", "--dry-run"]]) {
        expect(await run([...list, "--to", file, ...options]))
          .toMatchObject({ code: 1, err: expect.stringContaining(message) })
      }
    }
    expect(await Effect.runPromise(sandbox.recordedRequests)).toEqual([])
    expect(filesIn(folder)).toEqual(["d.csv", "link.csv"])
  })

  it.each(["an existing", "a new"])("a link to %s file stays a link", async (kind) => {
    const { argv, file: link, folder, run } = await exportTo("link.ndjson", { scale: 30 })
    const elsewhere = temporaryFolder()
    const file = join(elsewhere, "transfers.ndjson")
    if (kind === "an existing") writeFileSync(file, "old")
    symlinkSync(file, link)
    for (const mode of ["--overwrite", "--resume"]) {
      expect(await run([...argv, mode])).toMatchObject({ code: 0 })
    }
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, "utf8")).toMatch(/^\{/)
    expect([filesIn(folder), filesIn(elsewhere)]).toEqual([
      ["link.ndjson"],
      ["transfers.ndjson", "transfers.ndjson.manifest.json"]
    ])
  })
})

it("refuses a second export of the same file, also a dry run", async () => {
  const { argv, folder, run, sandbox } = await exportTo("transfers.csv", {
    scale: 30,
    maxLimit: 1000,
    defaultPageSize: 1000
  })
  const inner = Sandbox.httpClient(sandbox)
  const results = new Array<unknown>()
  const client = HttpClient.make((request) =>
    Effect.zipRight(
      Effect.promise(async () => {
        for (const option of ["--overwrite", "--dry-run"]) results.push(await run([...argv, option]))
      }),
      inner.execute(request)
    )
  )
  expect(await run(argv, { client })).toMatchObject({ code: 0 })
  const expected = expect.objectContaining(refused(`another process (${process.pid} on `))
  expect(results).toEqual([expected, expected])
  expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
})

it("writes nothing more after another process has taken over the lock", async () => {
  const { argv, file, folder, run, sandbox } = await exportTo("transfers.ndjson")
  const inner = Sandbox.httpClient(sandbox)
  let sent = 0
  const client = HttpClient.make((request) =>
    Effect.zipRight(
      Effect.sync(() => {
        if (++sent !== 3) return
        const [name = ""] = filesIn(`${file}.lock`)
        renameSync(join(`${file}.lock`, name), join(`${file}.lock`, lockName(1)))
        writeFileSync(`${file}.partial`, "of the other process")
      }),
      inner.execute(request)
    )
  )
  const ran = await run(argv, { client })
  expect(ran).toMatchObject(refused(`this process no longer holds the lock of ${file}`))
  expect(readFileSync(`${file}.partial`, "utf8")).toBe("of the other process")
  expect(filesIn(folder)).toEqual(
    ["lock", "manifest.json", "partial"].map((name) => `transfers.ndjson.${name}`)
  )
})

describe("--dry-run", () => {
  const cursorOf = (out: string) => new URL(/^GET (.*)$/m.exec(out)?.[1] ?? "").searchParams.get("cursor")

  it("reads one page of an export to estimate pages and cost, and writes nothing", async () => {
    const { file, folder, run, sandbox } = await exportTo("x.csv", { defaultPageSize: 10 })
    const owners = ["token", "owners", sandbox.ledger.examples.busyToken, "--to", file, "--dry-run"]
    const { err, out } = await run(owners)
    expect(out).toMatch(/^GET .*\nx-api-key: \$QUARRY_API_KEY\n/)
    expect(await Effect.runPromise(sandbox.recordedRequests)).toHaveLength(1)
    expect(err).toMatch(/estimate: /)
    expect(filesIn(folder)).toEqual([])
    expect((await run([...owners, "--sandbox"])).err.match(/^sandbox mode/gm)).toHaveLength(1)
  })

  it("shows the request with which --resume continues, and what remains", async () => {
    const { argv: all, folder, run } = await exportTo("transfers.csv", { scale: 30 })
    const argv = [...all, "--limit", "10"]
    await run(argv, { requests: 2 })
    const contents = () => filesIn(folder).map((name) => readFileSync(join(folder, name), "utf8"))
    const files = contents()
    const { code, err, out } = await run([...argv, "--resume", "--dry-run"])
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^20 transfers saved\nestimate: \d+ transfers/)
    ])
    expect(files.join("")).toContain(`"cursor": "${cursorOf(out)}"`)
    expect(contents()).toEqual(files)
    expect(await run([...argv, "--dry-run"])).toMatchObject(refused("use --resume to continue it"))
    expect(await run([...argv, "--resume", "--dry-run", "--order", "asc"]))
      .toMatchObject(refused("(--order: not set -> ASC)"))
  })

  it("shows the first request of --since-last, and none for a complete one", async () => {
    const { argv, file, run } = await exportTo("transfers.ndjson", { scale: 30 })
    await run(argv)
    const newest = Math.max(...records(readFileSync(file, "utf8")).map((row) => Number(row["block_number"])))
    expect(await run([...argv, "--since-last", "--dry-run"]))
      .toMatchObject({ code: 0, out: expect.stringContaining(`from_block=${newest}\n`) })
    expect(await run([...argv, "--resume", "--dry-run"], { requests: 0 }))
      .toMatchObject({ code: 0, out: "", err: expect.stringContaining("is complete") })
  })
})

it.effect.each([0, 3])(
  "--timeout says where an export stopped, and how to continue, after %d requests",
  (requests) =>
    Effect.gen(function*() {
      const { argv, file, sandbox, wallet } = yield* Effect.promise(() =>
        exportTo("transfers.parquet", { scale: 3000, maxLimit: 1000, defaultPageSize: 1000 })
      )
      const inner = Sandbox.httpClient(sandbox)
      const isWaiting = yield* Effect.makeLatch()
      let sent = 0
      const client = HttpClient.make((request) =>
        ++sent <= requests ? inner.execute(request) : Effect.zipRight(isWaiting.open, Effect.never)
      )
      const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
      const fiber = yield* Effect.fork(quarry([...argv, "--timeout", "5m"], { client, env }))
      yield* isWaiting.await
      yield* TestClock.adjust("5 minutes")
      const { code, err } = yield* Fiber.join(fiber)
      expect(code).toBe(7)
      const [, count, saving] = /^interrupted after (\S+) transfers \((.*)\); continue with$/m.exec(err) ?? []
      // The last page may be on its way
      expect([count, saving]).toEqual(
        requests === 0 ? ["0", "none saved"] : [expect.stringMatching(/^[23],000$/), "all saved"]
      )
      expect(err).toContain(
        `\nquarry wallet transfers ${wallet} --to=${file} --timeout=5m --resume\nerror: timed out after 5m ` +
          "(--timeout)\nhint: increase --timeout\n"
      )
    })
)

it.effect("an outage ends an export after 10 minutes by default, with a command that continues", () =>
  Effect.gen(function*() {
    const { argv, file, sandbox } = yield* Effect.promise(() => exportTo("it's.csv", { scale: 300 }))
    const inner = Sandbox.httpClient(sandbox)
    let sent = 0
    const client = HttpClient.make((request) =>
      sent++ === 0 ? inner.execute(request) : new RequestError({
        request,
        reason: "Transport",
        cause: Object.assign(new Error(), { code: "ECONNREFUSED" })
      })
    )
    const run = quarry(argv, { client, env: sandboxEnvironment })
    const { code, err } = yield* withRunningClock(run, "5 seconds")
    expect(code).toBe(7)
    expect(yield* TestClock.currentTimeMillis).toBeGreaterThan(9 * 60_000)
    expect(err.match(/waiting until \d\d:\d\d:\d\d UTC, then retrying: .*connection refused/g)).toHaveLength(
      1
    )
    expect(err).toContain(`'--to=${file.replace("'", String.raw`'\''`)}' --resume`)
    const resume = quarry([...argv, "--resume"], { client: inner, env: sandboxEnvironment })
    expect(yield* resume).toMatchObject({ code: 0 })
  }))
