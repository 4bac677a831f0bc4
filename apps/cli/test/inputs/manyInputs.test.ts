/** Commands with many inputs: order, failures, formats and limits. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import {
  eventLoopTurn,
  quarry,
  records,
  type RunOptions,
  sandboxEnvironment,
  withRunningClock
} from "../support/quarry.ts"

const scale = 120
const ledger = Ledger.make({ seed: 1, scale })
const { busyWallet, collection721, emptyWallet, token, wallet } = ledger.examples
const transactions = [...ledger.transactions.mainnet.keys()]

const run = (line: string, stdin: string, options: RunOptions = {}) =>
  quarry([...line.split(" "), "--sandbox"], { sandbox: { scale }, stdin, ...options })

const lines = (...inputs: ReadonlyArray<string>): string => `${inputs.join("\n")}\n`

/** Reads prices from a service with faults, while time passes. */
const runWithFaults = (
  options: ReadonlyArray<string>,
  inputs: ReadonlyArray<string>,
  ...faults: NonNullable<Sandbox.SandboxOptions["faults"]>
) =>
  Effect.flatMap(Sandbox.make({ ledger, faults }), (sandbox) =>
    withRunningClock(
      quarry(["token", "price", "-", ...options], {
        client: Sandbox.httpClient(sandbox),
        stdin: lines(...inputs),
        env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
      }),
      "10 seconds"
    ))

const tokens = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => token)

/** The input of each record, without repetitions in a row. */
const inputOrder = (out: string): ReadonlyArray<unknown> =>
  records(out).map(({ input }) => input).filter((input, index, all) => input !== all[index - 1])

describe("lists", () => {
  it.live("are read for each input in order, and each record starts with its input", () =>
    Effect.gen(function*() {
      const ran = yield* run("wallet transfers - --all", lines(wallet, emptyWallet, busyWallet, wallet))
      expect(ran).toMatchObject({ code: 0, err: expect.not.stringContaining("failed") })
      expect(inputOrder(ran.out)).toEqual([wallet, busyWallet, wallet])
      const all = records(ran.out)
      expect(all.every((record) => Object.keys(record)[0] === "input")).toBe(true)
      for (const address of [wallet, busyWallet]) {
        const alone = records((yield* run(`wallet transfers ${address} --all`, "")).out)
        const together = all.filter(({ input }) => input === address).slice(0, alone.length)
        expect(together).toEqual(alone.map((record) => ({ input: address, ...record })))
      }
    }))

  it.live("continue at the printed position, within the list of an input", () =>
    Effect.gen(function*() {
      const line = "wallet transfers - --max-items 30 --limit 10"
      const input = lines(wallet, "0x12", busyWallet)
      const whole = records((yield* run(line, input)).out)
      const partial = yield* run(line, input, { closedAfter: 4 })
      expect(records(partial.out)).toEqual(whole.slice(0, 40))
      for (
        const [position, skipped] of [["0:0:0:", 0], ["1:0:0:", 30], ["2:1:0:", 30], ["3:1:0:", 60]] as const
      ) {
        const rest = yield* run(`${line} --cursor ${position}`, input)
        expect(records(rest.out)).toEqual(whole.slice(skipped))
        expect(rest).toMatchObject({ code: 8, err: expect.stringContaining("1 of 3 inputs failed") })
      }
      expect(yield* run(`${line} --cursor abc`, input)).toMatchObject({
        code: 2,
        err: expect.stringContaining("--cursor: expected a position in many inputs")
      })
    }))

  it.live("show the input as the first column of a table and of CSV, and to jq", () =>
    Effect.gen(function*() {
      const input = lines(wallet, busyWallet)
      const table = yield* run("wallet transfers - --limit 2 -o table", input)
      expect(table.out.split("\n").slice(0, 4).map((line) => line.split(/\s+/)[0]))
        .toEqual(["input", wallet, wallet, busyWallet])
      const csv = yield* run("wallet transfers - --limit 1 -o csv --fields input,block_number", input)
      expect(csv.out.split("\r\n").map((line) => line.split(",")[0])).toEqual([
        "input",
        wallet,
        busyWallet,
        ""
      ])
      const jq = yield* run("wallet transfers - --limit 1 --jq .input", input)
      expect(jq.out).toBe(input)
    }))

  it.live("of two arguments take both from a line, or one from the command line", () =>
    Effect.gen(function*() {
      const expected = records((yield* run(`nft owners ${collection721} 1`, "")).out)
      const pairs = yield* run(
        "nft owners -",
        lines(`${collection721}, 1`, `${collection721}\t2`, collection721)
      )
      expect(pairs.code).toBe(8)
      expect(pairs.err).toContain("expected 2 values (address token-id), got 1")
      expect(records(pairs.out)[0]).toEqual({ input: `${collection721} 1`, ...expected[0] })
      const ids = yield* run(`nft owners ${collection721} -`, lines("1", "2"))
      expect(records(ids.out).map(({ input, token_id }) => [input, token_id])).toEqual([["1", "1"], [
        "2",
        "2"
      ]])
      const addresses = yield* run("nft owners - 1", lines(collection721))
      expect(records(addresses.out)).toEqual([{ input: collection721, ...expected[0] }])
    }))
})

describe("records", () => {
  it.live.prop(
    "keep the order of the inputs for every concurrency and for responses of any duration",
    [
      FastCheck.array(FastCheck.nat(4), { maxLength: 12 }),
      FastCheck.integer({ min: 1, max: 6 }),
      FastCheck.array(FastCheck.nat(8), { minLength: 1, maxLength: 5 })
    ],
    ([picks, concurrency, delays]) =>
      Effect.gen(function*() {
        const inputs = picks.map((pick) => transactions[pick] ?? "")
        const sandbox = yield* Sandbox.make({ ledger })
        const inner = Sandbox.httpClient(sandbox)
        let calls = 0
        let inFlight = 0
        let mostInFlight = 0
        const client = HttpClient.make((request) =>
          Effect.gen(function*() {
            mostInFlight = Math.max(mostInFlight, ++inFlight)
            yield* Effect.sleep(delays[calls++ % delays.length] ?? 0)
            const response = yield* inner.execute(request)
            inFlight--
            return response
          })
        )
        const ran = yield* quarry(
          ["ledger", "tx", "-", "--concurrency", String(concurrency), "--fields", "input,hash"],
          { client, stdin: lines(...inputs), env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" } }
        )
        expect(records(ran.out).map(({ input }) => input)).toEqual(inputs)
        expect(mostInFlight).toBeLessThanOrEqual(concurrency)
      })
  )
})

describe("failures", () => {
  it.live("are all reported, with their lines", () =>
    Effect.gen(function*() {
      const input = lines("# wallets", wallet, "0x12", "", "nonsense", busyWallet)
      const ran = yield* run("wallet chains -", input)
      expect(ran.code).toBe(8)
      expect(ran.err).toContain("2 of 4 inputs failed:\n  line 3: 0x12: <address>: ")
      expect(ran.err).toContain("\n  line 5: nonsense: <address>: ")
      expect((yield* run("wallet chains -", "# none\n")).code).toBe(0)
    }))

  it.live("that end the command early have a summary in JSON too", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger })
      const ran = yield* quarry(["token", "price", "-", "--json-errors", "--concurrency", "1"], {
        client: Sandbox.httpClient(sandbox),
        stdin: lines("0x12", token),
        env: { ...sandboxEnvironment, QUARRY_API_KEY: Sandbox.revokedApiKey }
      })
      expect(ran.code).toBe(4)
      const jsonLines = ran.err.split("\n").filter((line) => line.startsWith("{")).join("\n")
      expect(records(jsonLines).map(({ failed, tag, total }) => [tag, failed, total])).toEqual([
        ["UsageError", undefined, undefined],
        ["InputsFailedError", 1, 1],
        ["AuthenticationError", undefined, undefined]
      ])
    }))

  it.live("that concern all inputs end the command", () =>
    Effect.gen(function*() {
      const inputs = lines(...tokens(200))
      const sandbox = yield* Sandbox.make({ ledger })
      const ran = yield* quarry(["token", "price", "-"], {
        client: Sandbox.httpClient(sandbox),
        stdin: inputs,
        env: { ...sandboxEnvironment, QUARRY_API_KEY: Sandbox.revokedApiKey }
      })
      expect(ran).toMatchObject({ code: 4, out: "" })
      expect((yield* sandbox.recordedRequests).length).toBeLessThan(20)
      expect(yield* run("token price - --chain polygn", inputs)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/error: --chain: /)
      })
    }))

  it.effect("of the service in a row end the command, and invalid inputs between them do not count", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* runWithFaults(
        ["--retry-for", "0"],
        ["0x12", "0x34", ...tokens(500).flatMap((input) => [input, "nonsense"])],
        { fault: { status: 500 } }
      )
      expect({ code, out }).toEqual({ code: 6, out: "" })
      // 2 invalid inputs, then 20 failures of the service with 19 invalid inputs between them
      expect(err).toContain("41 of 41 read inputs failed; the rest was not read:")
      expect(err.match(/^ {2}line \d+: /gm)).toHaveLength(20)
      expect(err).toContain("\n  and 21 more\n")
      const hints = err.match(/^hint: .*$/gm) ?? []
      expect(new Set(hints).size).toBe(hints.length)
    }))

  it.live("of a CSV file name the value that is missing, and how to select columns", () =>
    Effect.gen(function*() {
      const input = lines("name,address", "a,", `b,${wallet}`)
      const whole = yield* run("wallet chains -", input)
      expect(whole.err).toContain("expected 1 value (address), got 2\n")
      expect(whole.err).toContain("hint: for a CSV file, select the columns with --from-column\n")
      const ran = yield* run("wallet chains - --from-column address", input)
      expect([ran.code, ran.err]).toEqual([8, expect.stringContaining("\n  line 2: <address>: is missing\n")])
    }))

  it.effect("of the service that pass are retried, and no input fails", () =>
    Effect.gen(function*() {
      const reset = { fault: { kind: "reset" }, skip: 3, count: 30 } as const
      const { code, out } = yield* runWithFaults([], tokens(20), reset)
      expect(code).toBe(0)
      expect(records(out)).toHaveLength(20)
    }))
})

it.effect("share the rate limit of the command", () =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger })
    // A price costs 3 units, and the clock stands still
    const command = yield* Effect.fork(quarry(["token", "price", "-", "--rate-limit", "3/1h"], {
      client: Sandbox.httpClient(sandbox),
      stdin: lines(...tokens(3)),
      env: sandboxEnvironment
    }))
    const isRunning = Effect.map(Fiber.poll(command), Option.isNone)
    while ((yield* sandbox.recordedRequests).length === 0 && (yield* isRunning)) yield* eventLoopTurn
    yield* Effect.replicateEffect(eventLoopTurn, 100)
    expect(yield* sandbox.recordedRequests).toHaveLength(1)
  }))

it.live("explains inputs that are missing, superfluous or contradictory", () =>
  Effect.gen(function*() {
    const cases = [
      [
        `wallet chains ${wallet} --from x.txt`,
        "--from is for many inputs, and all arguments are on the command line"
      ],
      [
        `wallet chains ${wallet} --concurrency 2`,
        "--concurrency is for many inputs, and all arguments are on the command line"
      ],
      ["wallet chains --concurrency 2", "missing argument <address>"],
      ["wallet chains --from x.txt --curl", "--curl is not available for many inputs"],
      ["token price - --curl", "--curl is not available for many inputs"],
      [`wallet transfers ${wallet} --from-column a --curl`, "--curl is not available for many inputs"],
      ["nft get - --from-column a", "--from-column: expected 2 columns (address, token-id), got 1"],
      ["wallet chains --from /nowhere/x", "--from: cannot read \"/nowhere/x\": no such file"],
      [`wallet chains ${wallet} --cursor 1:0:0:`, "all arguments are on the command line"],
      ["wallet transfers - --dry-run", "--dry-run is not available for many inputs"],
      [`token price ${token} --to x.csv`, "--to: the command prints one record"],
      [
        `wallet transfers ${wallet} --chain eth,polygon --chart`,
        "--chart is not available for several chains"
      ],
      [`wallet transfers ${wallet} --chain eth,polygon --curl`, "--curl is not available for several chains"]
    ] as const
    for (const [line, message] of cases) {
      expect([line, yield* run(line, "")]).toEqual([
        line,
        expect.objectContaining({ code: 2, out: "", err: expect.stringContaining(message) })
      ])
    }
  }))

it.live("takes - for the id of an update, which has one input", () =>
  Effect.gen(function*() {
    const ran = yield* run("stream set-status - paused", "")
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining("Stream not found") })
  }))
