/** Options of exports: invalid combinations, the lock, the dry run, and retries. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { onTestFinished } from "vitest"
import { exportSandbox, filesIn, lockName, temporaryFolder } from "../support/exports.ts"
import { quarry, records, sandboxEnvironment, withRunningClock } from "../support/quarry.ts"

describe("invalid options", () => {
  it.each([
    [
      ["--to", "x.txt"],
      "--to: expected a file name that ends in .ndjson, .jsonl, .csv, .parquet, got \"x.txt\""
    ],
    [["--resume"], "--resume requires --to"],
    [["--since-last"], "--since-last requires --to"],
    [["--to", "x.csv", "--resume", "--overwrite"], "--resume and --overwrite are mutually exclusive"],
    [["--to", "x.csv", "--parquet-amounts", "binary"], "--parquet-amounts requires a parquet file"],
    [
      ["--to", "x.parquet", "--parquet-amounts", "decimal"],
      "--parquet-amounts: expected one of text, binary"
    ],
    [
      ["--to", "x.csv", "-o", "json"],
      "--output json disagrees with --to x.csv: the extension selects csv\nhint: omit --output; files are ndjson"
    ],
    [
      ["--to", "out/x.csv", "-o", "parquet"],
      "--output parquet disagrees with --to out/x.csv: the extension selects csv\n" +
      "hint: omit --output, or use --to out/x.parquet"
    ],
    [
      ["-o", "parquet"],
      "--output parquet requires a file\nhint: export records with --to FILE.parquet"
    ],
    [["--to", "."], "got \".\"\nhint: for example --to records.parquet"],
    [["--to", "my data/"], "hint: for example --to 'my data/records.parquet'"],
    [["--to", "out/x.txt"], "hint: for example --to out/x.parquet"],
    [["--to", "x.csv", "--jq", ".value"], "--jq and a csv file are mutually exclusive"],
    [["--retry-for", "soon"], "--retry-for: expected 0 or a duration such as 30s, 10m or 2h, got \"soon\""]
  ])("%j are refused before anything is sent or written", async (options, message) => {
    const { run, sandbox, wallet } = await exportSandbox()
    const { code, err } = await run(["wallet", "transfers", wallet, ...options])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(await Effect.runPromise(sandbox.recordedRequests)).toEqual([])
    expect(existsSync("x.csv")).toBe(false)
  })

  it("a file that cannot be written is an output error, also in a dry run", async () => {
    const { run, sandbox, wallet } = await exportSandbox()
    const folder = temporaryFolder()
    const [directory, link] = [join(folder, "d.csv"), join(folder, "link.csv")]
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
        const { code, err } = await run(["wallet", "transfers", wallet, "--to", file, ...options])
        expect([code, err]).toEqual([1, expect.stringContaining(message)])
      }
    }
    expect(await Effect.runPromise(sandbox.recordedRequests)).toEqual([])
    expect(filesIn(folder)).toEqual(["d.csv", "link.csv"])
  })

  it.each(["an existing", "a new"])("a link to %s file stays a link", async (kind) => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const elsewhere = temporaryFolder()
    const [link, file] = [join(folder, "link.ndjson"), join(elsewhere, "transfers.ndjson")]
    if (kind === "an existing") writeFileSync(file, "old")
    symlinkSync(file, link)
    expect(await run(["wallet", "transfers", wallet, "--to", link, "--overwrite"])).toMatchObject({ code: 0 })
    expect(await run(["wallet", "transfers", wallet, "--to", link, "--resume"])).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, "utf8")).toMatch(/^\{/)
    expect([filesIn(folder), filesIn(elsewhere)]).toEqual([
      ["link.ndjson"],
      ["transfers.ndjson", "transfers.ndjson.manifest.json"]
    ])
  })
})

/** Leaves the lock of a process. */
const leaveLock = (file: string, name: string): void => {
  mkdirSync(`${file}.lock`)
  writeFileSync(join(`${file}.lock`, name), "")
}

describe("the lock", () => {
  it("refuses a second export of the same file", async () => {
    const { run, sandbox, wallet } = await exportSandbox({ scale: 30, maxLimit: 1000, defaultPageSize: 1000 })
    const folder = temporaryFolder()
    const file = join(folder, "transfers.csv")
    const inner = Sandbox.httpClient(sandbox)
    const results = new Array<unknown>()
    const client = HttpClient.make((request) =>
      Effect.zipRight(
        Effect.promise(async () =>
          results.push(await run(["wallet", "transfers", wallet, "--to", file, "--overwrite"]))
        ),
        inner.execute(request)
      )
    )
    const first = await run(["wallet", "transfers", wallet, "--to", file], { client })
    expect(first).toMatchObject({ code: 0 })
    expect(results).toEqual([
      expect.objectContaining({
        code: 2,
        err: expect.stringContaining(`another process (${process.pid} on `)
      })
    ])
    expect(filesIn(folder)).toEqual(["transfers.csv", "transfers.csv.manifest.json"])
  })

  it("of a process that has ended is taken over, also if its id belongs to another process now", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.csv")
    const ended = spawn(process.execPath, ["-e", ""])
    await once(ended, "close")
    for (const pid of [ended.pid ?? 0, process.pid]) {
      leaveLock(file, lockName(pid, "00"))
      expect(await run(["wallet", "transfers", wallet, "--to", file, "--overwrite"])).toMatchObject({
        code: 0
      })
    }
  })

  it.skipIf(process.platform !== "linux")(
    "of a killed process whose parent never reads its status is taken over",
    async () => {
      const { run, wallet } = await exportSandbox({ scale: 30 })
      const file = join(temporaryFolder(), "transfers.csv")
      // `exec` leaves a parent that does not know its child
      const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
        stdio: ["ignore", "pipe", "ignore"]
      })
      onTestFinished(() => void parent.kill("SIGKILL"))
      const [text] = await once(parent.stdout, "data")
      const pid = Number(text)
      const status = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")
      leaveLock(file, lockName(pid))
      const argv = ["wallet", "transfers", wallet, "--to", file]
      expect(await run(argv)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`another process (${pid} on `)
      })
      process.kill(pid, "SIGKILL")
      while (status()[2] !== "Z") await setImmediate()
      expect(await run(argv)).toMatchObject({ code: 0 })
    }
  )

  it("removes what processes left that were killed while they took it", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const file = join(folder, "transfers.csv")
    const ended = spawn(process.execPath, ["-e", ""])
    await once(ended, "close")
    const kept = [
      `other.csv.lock.${lockName(ended.pid ?? 0)}`,
      `transfers.csv.lock.${lockName(1, "", "elsewhere")}`,
      `transfers.csv.lock.${lockName(process.pid)}`,
      "transfers.csv.lock.txt"
    ]
    for (const name of [...kept, `transfers.csv.lock.${lockName(ended.pid ?? 0)}`]) {
      mkdirSync(join(folder, name))
    }
    expect(await run(["wallet", "transfers", wallet, "--to", file])).toMatchObject({ code: 0 })
    expect(filesIn(folder)).toEqual([...kept, "transfers.csv", "transfers.csv.manifest.json"].sort())
  })
})

describe("--dry-run", () => {
  it("prints the request with the variable of the key, and sends nothing", async () => {
    const { run, sandbox, wallet } = await exportSandbox()
    const { code, out } = await run([
      "wallet",
      "transfers",
      wallet,
      "--from-block",
      "5",
      "--max-items",
      "7",
      "--dry-run"
    ])
    expect([code, out]).toEqual([
      0,
      `GET ${Sandbox.baseUrls.data}/api/v2.2/${wallet}/erc20/transfers?limit=7&from_block=5\n` +
      "x-api-key: $QUARRY_API_KEY\naccept: application/json\n"
    ])
    expect(await Effect.runPromise(sandbox.recordedRequests)).toEqual([])
  })

  it("reads one page of an export to estimate pages and cost, and writes nothing", async () => {
    const { run, sandbox } = await exportSandbox({ defaultPageSize: 10 })
    const folder = temporaryFolder()
    const { busyToken } = sandbox.ledger.examples
    const owners = await run(["token", "owners", busyToken, "--to", join(folder, "x.csv"), "--dry-run"])
    expect(owners.out).toMatch(/^GET .*\nx-api-key: \$QUARRY_API_KEY\n/)
    expect(await Effect.runPromise(sandbox.recordedRequests)).toHaveLength(1)
    expect(owners.err).toMatch(/estimate: /)
    expect(filesIn(folder)).toEqual([])
  })
})

describe("--dry-run of an export that exists", () => {
  const cursorOf = (out: string) => new URL(/^GET (.*)$/m.exec(out)?.[1] ?? "").searchParams.get("cursor")

  it("shows the request with which --resume continues, and what remains", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const folder = temporaryFolder()
    const argv = ["wallet", "transfers", wallet, "--to", join(folder, "transfers.csv"), "--limit", "10"]
    await run(argv, { requests: 2 })
    const files = filesIn(folder).map((name) => readFileSync(join(folder, name), "utf8"))
    const { code, err, out } = await run([...argv, "--resume", "--dry-run"])
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^20 transfers saved\nestimate: \d+ transfers/)
    ])
    expect(files.join("")).toContain(`"cursor": "${cursorOf(out)}"`)
    expect(filesIn(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(files)
    const [dry, real] = [await run([...argv, "--dry-run"]), await run(argv)]
    expect(real.err).toContain("use --resume to continue it")
    expect([dry.code, dry.err]).toEqual([real.code, real.err])
    const other = await run([...argv, "--resume", "--dry-run", "--order", "asc"])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("(--order: not set -> ASC)")])
  })

  it("shows the first request of --since-last, and none for a complete one", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.ndjson")
    const argv = ["wallet", "transfers", wallet, "--to", file]
    await run(argv)
    const newest = Math.max(...records(readFileSync(file, "utf8")).map((row) => Number(row["block_number"])))
    const since = await run([...argv, "--since-last", "--dry-run"])
    expect([since.code, since.out]).toEqual([0, expect.stringContaining(`from_block=${newest}\n`)])
    const complete = await run([...argv, "--resume", "--dry-run"], { requests: 0 })
    expect(complete).toMatchObject({ code: 0, out: "", err: expect.stringContaining("is complete") })
  })

  it("fails while another process writes the file, like the export", async () => {
    const { run, wallet } = await exportSandbox({ scale: 30 })
    const file = join(temporaryFolder(), "transfers.csv")
    leaveLock(file, lockName(1, "", "another"))
    for (const options of [[], ["--dry-run"]]) {
      const { code, err } = await run(["wallet", "transfers", wallet, "--to", file, ...options])
      expect([code, err]).toEqual([2, expect.stringContaining("another process (1 on another)")])
      expect(err).toContain(`remove ${file}.lock if there is no such process`)
    }
  })

  it("says once that the sandbox is used", async () => {
    const { wallet } = await exportSandbox()
    const file = join(temporaryFolder(), "transfers.csv")
    const { err } = await Effect.runPromise(
      quarry(["wallet", "transfers", wallet, "--to", file, "--dry-run", "--sandbox"])
    )
    expect(err.match(/^sandbox mode/gm)).toHaveLength(1)
  })
})

describe("--timeout", () => {
  it.effect.each([0, 3])(
    "says where an export stopped, and how to continue, after %d requests",
    (requests) =>
      Effect.gen(function*() {
        const sandbox = yield* Sandbox.make({ scale: 3000, maxLimit: 1000, defaultPageSize: 1000 })
        const { busyWallet } = sandbox.ledger.examples
        const folder = temporaryFolder()
        const [file, whole] = [join(folder, "transfers.parquet"), join(folder, "whole.parquet")]
        const inner = Sandbox.httpClient(sandbox)
        const isWaiting = yield* Effect.makeLatch()
        let sent = 0
        const client = HttpClient.make((request) =>
          ++sent <= requests ? inner.execute(request) : Effect.zipRight(isWaiting.open, Effect.never)
        )
        const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
        const argv = ["wallet", "transfers", busyWallet, "--to"]
        const fiber = yield* Effect.fork(quarry([...argv, file, "--timeout", "5m"], { client, env }))
        yield* isWaiting.await
        yield* TestClock.adjust("5 minutes")
        const { code, err } = yield* Fiber.join(fiber)
        expect(code).toBe(7)
        const [, records, saving] =
          /^interrupted after (\S+) transfers \((.*)\); continue with$/m.exec(err) ?? []
        // The last page may be on its way
        expect([records, saving]).toEqual(
          requests === 0 ? ["0", "none saved"] : [expect.stringMatching(/^[23],000$/), "all saved"]
        )
        expect(err).toContain(
          `\nquarry wallet transfers ${busyWallet} --to=${file} --timeout=5m --resume\nerror: timed out after 5m ` +
            "(--timeout)\nhint: increase --timeout\n"
        )
        yield* quarry([...argv, whole], { client: inner, env })
        expect(yield* quarry([...argv, file, "--resume"], { client: inner, env })).toMatchObject({ code: 0 })
        expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)
      })
  )
})

describe("--retry-for", () => {
  /** A client that cannot connect from the second request until a time. */
  const outageUntil = (sandbox: Sandbox.SandboxService, end: number, status?: Sandbox.Fault) => {
    const inner = Sandbox.httpClient(sandbox)
    let sent = 0
    return HttpClient.make((request) =>
      Effect.flatMap(TestClock.currentTimeMillis, (now) => {
        if (sent++ === 0 || now >= end) return inner.execute(request)
        return status === undefined
          ? new RequestError({
            request,
            reason: "Transport",
            cause: Object.assign(new Error(), { code: "ECONNREFUSED" })
          })
          : Effect.zipRight(sandbox.queueFaults(status), inner.execute(request))
      })
    )
  }
  const minutes = 60_000

  it.effect("outlasts an outage of 9 minutes by default, and says what it waits for", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ scale: 300 })
      const { busyWallet } = sandbox.ledger.examples
      const folder = temporaryFolder()
      const argv = ["wallet", "transfers", busyWallet, "--to"]
      const env = sandboxEnvironment
      yield* quarry([...argv, join(folder, "whole.csv")], { client: Sandbox.httpClient(sandbox), env })
      const file = join(folder, "transfers.csv")
      const result = yield* withRunningClock(
        quarry([...argv, file], { client: outageUntil(sandbox, 9 * minutes), env }),
        1000
      )
      expect(result).toMatchObject({ code: 0 })
      expect(result.err.match(/waiting until \d\d:\d\d:\d\d UTC, then retrying: .*connection refused/g))
        .toHaveLength(1)
      expect(readFileSync(file)).toEqual(readFileSync(join(folder, "whole.csv")))
    }))

  it.effect("does not end early when the time of day jumps", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ scale: 300 })
      const clock = yield* Effect.clock
      const jumping = (now: number) => now < 2 * minutes ? now : now + 60 * minutes
      const argv = ["wallet", "transfers", sandbox.ledger.examples.busyWallet, "--to"]
      const exported = quarry([...argv, join(temporaryFolder(), "transfers.csv")], {
        client: outageUntil(sandbox, 5 * minutes),
        env: sandboxEnvironment
      })
      const result = yield* withRunningClock(
        Effect.withClock(exported, {
          [Clock.ClockTypeId]: Clock.ClockTypeId,
          unsafeCurrentTimeMillis: () => jumping(clock.unsafeCurrentTimeMillis()),
          unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
          currentTimeMillis: Effect.map(clock.currentTimeMillis, jumping),
          currentTimeNanos: clock.currentTimeNanos,
          sleep: (duration) => clock.sleep(duration)
        }),
        1000
      )
      expect(result).toMatchObject({ code: 0 })
    }))

  it.effect("ends after 10 minutes by default, with a command that continues", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ scale: 300 })
      const file = join(temporaryFolder(), "it's.csv")
      const argv = ["wallet", "transfers", sandbox.ledger.examples.busyWallet, "--to", file]
      const client = outageUntil(sandbox, 30 * minutes)
      const failed = yield* withRunningClock(quarry(argv, { client, env: sandboxEnvironment }), 1000)
      expect(failed).toMatchObject({ code: 7 })
      expect(failed.err).toContain(`'--to=${file.replace("'", String.raw`'\''`)}' --resume`)
      const resumed = yield* quarry([...argv, "--resume"], {
        client: Sandbox.httpClient(sandbox),
        env: sandboxEnvironment
      })
      expect(resumed).toMatchObject({ code: 0 })
    }))

  it.effect("does not limit the wait for a rate limit", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ scale: 300 })
      const file = join(temporaryFolder(), "transfers.ndjson")
      const client = outageUntil(sandbox, 90 * minutes, { status: 429, "retry-after": "600" })
      const result = yield* withRunningClock(
        quarry(
          ["wallet", "transfers", sandbox.ledger.examples.busyWallet, "--to", file, "--retry-for", "1m"],
          { client, env: sandboxEnvironment }
        ),
        10_000
      )
      expect(result).toMatchObject({
        code: 0,
        err: expect.stringMatching(/waiting until .*(?:429|rate limit|cooldown)/)
      })
    }))

  it.effect("applies to --all only if it is set", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ scale: 300 })
      const argv = ["wallet", "transfers", sandbox.ledger.examples.busyWallet, "--all", "-o", "ndjson"]
      const run = (options: ReadonlyArray<string>) =>
        withRunningClock(
          quarry([...argv, ...options], {
            client: outageUntil(sandbox, 5 * minutes),
            env: sandboxEnvironment
          }),
          1000
        )
      expect(yield* run([])).toMatchObject({ code: 7 })
      const { code, out } = yield* run(["--retry-for", "6m"])
      const whole = yield* quarry(argv, { client: Sandbox.httpClient(sandbox), env: sandboxEnvironment })
      expect([code, records(out).length, out === whole.out]).toEqual([0, records(whole.out).length, true])
    }))
})
