/** Watches over a sandbox whose chains grow with the clock of the test. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pageOf, recordsOfLists } from "../../../../packages/core/test/support/listRecords.ts"
import { lockName } from "../support/exports.ts"
import { quarry, records, transferIds } from "../support/quarry.ts"
import { startWatch, temporaryFile } from "./support.ts"

const ledger = Ledger.make({ seed: 1, scale: 60 })
const { busyWallet, emptyWallet, token, wallet } = ledger.examples

/** A block of every chain each minute. */
const growingSandbox = () => Sandbox.make({ ledger, blockTime: "1 minute" })

const eth = (sandbox: Sandbox.SandboxService) =>
  Effect.map(sandbox.chains, (chains) => {
    const chain = chains.get("eth")
    if (chain === undefined) throw new Error("no eth")
    return chain
  })

/** The items of a sequence from a block on. */
const itemsFrom = <A extends { readonly block: number }>(
  sequence: Ledger.Sequence<A>,
  block: number
): ReadonlyArray<A> =>
  Array.from({ length: sequence.length }, (_, index) => sequence.at(index)).filter((item) =>
    item !== undefined
  )
    .filter((item) => item.block >= block)

/** Starts a watch over a sandbox. */
const startOver = (
  sandbox: Sandbox.SandboxService,
  line: string,
  options: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) => startWatch([...line.split(" "), ...options], Sandbox.httpClient(sandbox), env)

const watchBusyWallet = `watch wallet transfers ${busyWallet}`

const expectedIds = (transfers: Ledger.Sequence<Ledger.TokenTransfer>, fromBlock: number) =>
  itemsFrom(transfers, fromBlock).map(({ logIndex, transaction }) => `${transaction}:${logIndex}`)

describe("a watch", () => {
  it.scoped("begins earlier with --from-block, and continues after --max-items without a gap", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const chain = yield* eth(sandbox)
      const since = chain.head - 100_000
      const line = `watch token transfers ${token} --from-block ${since} --max-items 4 --limit 3 --state`
      const start = startOver(sandbox, line, [temporaryFile("state.json")])
      const first = yield* (yield* start).result
      const second = yield* (yield* start).result
      expect(first).toMatchObject({
        code: 0,
        err: expect.stringContaining(`watching transfers since block ${since}`)
      })
      expect(transferIds(first.out + second.out))
        .toEqual(expectedIds(chain.tokenTransfers(token), since).slice(0, 8))
    }))

  it.scoped("of NFTs prints the trades of new blocks", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const chain = yield* eth(sandbox)
      const watch = yield* startOver(sandbox, `watch wallet nft-trades ${wallet} --limit 10`)
      for (let polls = 0; polls < 4; polls++) yield* watch.poll
      yield* watch.interrupt
      const trades = itemsFrom((yield* eth(sandbox)).walletTrades(wallet), chain.head + 1)
      const printed = records(watch.captured.out).map((trade) => trade["transaction_hash"])
      expect(printed.length).toBeGreaterThan(2)
      expect(printed).toEqual(trades.slice(0, printed.length).map(({ transaction }) => transaction))
    }))

  it.scoped("prints the header of a format once, over all polls", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      for (const format of ["csv", "table"]) {
        const watch = yield* startOver(sandbox, watchBusyWallet, ["-o", format])
        for (let polls = 0; polls < 2; polls++) yield* watch.poll
        yield* watch.interrupt
        const [header, ...lines] = watch.captured.out.split("\n")
        expect([lines.length > 20, lines.includes(header ?? "")]).toEqual([true, false])
      }
    }))

  it.scoped("reads the page again on which an expression failed", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const state = temporaryFile("state.json")
      const line = `watch token transfers ${token} --limit 100 --max-items 8 --from-block 0 --jq`
      const run = (...options: ReadonlyArray<string>) =>
        Effect.flatMap(startOver(sandbox, line, options), ({ result }) => result)
      const whole = yield* run(".log_index")
      const indexes = whole.out.trim().split("\n")
      const failing = `if .log_index == ${indexes[5]} then error("no") else .log_index end`
      const failed = yield* run(failing, "--state", state)
      expect([failed.code, failed.out]).toEqual([2, whole.out.split("\n").slice(0, 5).join("\n") + "\n"])
      expect((yield* run(".log_index", "--state", state)).out).toBe(whole.out)
    }))

  it.scoped("starts at a date", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2025-06-30"))
      const sandbox = yield* growingSandbox()
      const chain = yield* eth(sandbox)
      const from = chain.blockAt(Date.parse("2025-05-30")) + 1
      const { captured } = yield* startOver(sandbox, `watch token transfers ${token} --from-date 2025-05-30`)
      expect(captured.err).toContain("watching transfers since 2025-05-30T00:00:00.000Z")
      expect(transferIds(captured.out)).toEqual(expectedIds(chain.tokenTransfers(token), from))
    }))

  it.scoped("prints everything of a list that was empty at the start", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const watch = yield* startOver(sandbox, `watch wallet transfers ${emptyWallet}`)
      yield* watch.poll
      expect(watch.captured).toMatchObject({ out: "", err: expect.stringContaining("there are none yet") })
    }))
})

describe("failures", () => {
  it.scoped("that pass are reported once, delay the next poll more and more, and end with a note", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const start = yield* startOver(sandbox, watchBusyWallet)
      yield* sandbox.queueFaults(...Array.from({ length: 12 }, () => ({ status: 503 })))
      yield* start.poll
      const before = (yield* sandbox.recordedRequests).length
      for (let polls = 0; polls < 4; polls++) yield* start.poll
      expect(start.captured.err.match(/^warning: .*polling goes on$/gm)).toHaveLength(1)
      expect(start.captured.err).toMatch(/polling works again after (?:1 failed poll|[2-9] failed polls)$/m)
      expect((yield* sandbox.recordedRequests).length).toBeGreaterThan(before)
    }))

  it.scoped("of the credentials end the watch with their exit status", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const watch = yield* startOver(sandbox, watchBusyWallet, [], { QUARRY_API_KEY: Sandbox.revokedApiKey })
      expect(yield* watch.result).toMatchObject({ code: 4, out: "" })
    }))

  it.scoped.each(
    [
      [{ result: [{ value: "n/a" }], cursor: null }, 6],
      // A page of an outage
      [{ message: "maintenance" }, null]
    ] as const
  )("of a body %j end the watch with status %s", ([body, code]) =>
    Effect.gen(function*() {
      const client = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body)))
      )
      const watch = yield* startWatch([...watchBusyWallet.split(" "), "--from-block", "1"], client)
      const ended = yield* Fiber.poll(watch.fiber)
      expect(ended._tag === "None" ? null : (yield* watch.result).code).toBe(code)
    }))
})

describe("the end of a watch", () => {
  it.scoped("is the timeout, with exit status 0", () =>
    Effect.gen(function*() {
      const sandbox = yield* growingSandbox()
      const watch = yield* startOver(sandbox, `${watchBusyWallet} --timeout 30m`)
      const { code, err, out } = yield* watch.result
      expect(code).toBe(0)
      expect(err).not.toContain("error:")
      expect(records(out).length).toBeGreaterThan(20)
    }))
})

describe("a state", () => {
  const save = (
    options: ReadonlyArray<string>,
    file: string,
    env: Readonly<Record<string, string>> = {}
  ) =>
    Effect.flatMap(
      growingSandbox(),
      (sandbox) => startOver(sandbox, "watch wallet transfers", [...options, "--state", file], env)
    )

  it.scoped("of another watch or service is refused, and stays as it is", () =>
    Effect.gen(function*() {
      const file = temporaryFile("state.json")
      yield* (yield* save([wallet], file)).interrupt
      const before = readFileSync(file, "utf8")
      const other = yield* (yield* save([busyWallet, "--chain", "polygon"], file)).result
      expect(other.code).toBe(2)
      expect(other.err).toContain(`--state: ${file} belongs to another watch (<address>: `)
      expect(other.err).toContain("--chain: not set -> polygon")
      const service = yield* (yield* save([wallet], file, { QUARRY_BASE_URL: "https://two.example" })).result
      expect(service).toMatchObject({
        code: 2,
        err: expect.stringContaining(`(service: ${Sandbox.baseUrls.data} -> https://two.example)`)
      })
      expect(readFileSync(file, "utf8")).toBe(before)
      expect(existsSync(`${file}.tmp`)).toBe(false)
    }))

  it.scoped("that another process writes is refused", () =>
    Effect.gen(function*() {
      const file = temporaryFile("state.json")
      mkdirSync(`${file}.lock`)
      writeFileSync(join(`${file}.lock`, lockName(1, "", "another")), "")
      expect(yield* (yield* save([wallet, "--json-errors"], file)).result).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /"FileConflictError","message":"another process \(1 on another\) is writing .*--take-over/
        )
      })
      const { captured, interrupt } = yield* save([wallet, "--take-over"], file)
      expect(captured.err).toContain("watching transfers")
      yield* interrupt
      expect(existsSync(`${file}.lock`)).toBe(false)
    }))

  it.scoped("that another process has taken over ends the watch with the next poll, also without records", () =>
    Effect.gen(function*() {
      const file = temporaryFile("state.json")
      const { result } = yield* save([emptyWallet], file)
      rmSync(`${file}.lock`, { recursive: true })
      expect(yield* result).toMatchObject({
        code: 2,
        err: expect.stringContaining("this process no longer holds the lock of")
      })
    }))

  it.scoped("that is no state is refused", () =>
    Effect.gen(function*() {
      const file = temporaryFile("state.json")
      for (const text of ["", "{}", "[1]", "{\"version\":2}"]) {
        writeFileSync(file, text)
        const result = yield* (yield* save([wallet], file)).result
        expect(result).toMatchObject({ code: 2, err: expect.stringContaining("is not the state of a watch") })
      }
    }))

  it.scoped("that cannot be written ends the watch before it prints", () =>
    Effect.gen(function*() {
      const result = yield* (yield* save([wallet, "--from-block", "0"], "/nowhere/state.json")).result
      expect(result).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("cannot write /nowhere/state.json")
      })
    }))
})

it.live("rejects options that a watch cannot follow", () =>
  Effect.gen(function*() {
    const cases = [
      ["-o json", "a watch has no end"],
      ["--from-date lately", "--from-date: expected a date"],
      ["--from-date 9999-01-01", "--from-date: expected a time before now, got 9999-01-01T00:00:00.000Z"],
      ["--from-date 2025-05-30 --from-block 5", "--from-date and --from-block are mutually exclusive"],
      ["--interval 500ms", "--interval: expected a duration of at least 1s"],
      ["--overlap 0", "--overlap: expected an integer"],
      ["--all", "unknown option --all"],
      ["--to-block 5", "unknown option --to-block"]
    ] as const
    for (const [options, message] of cases) {
      const argv = ["watch", "wallet", "transfers", wallet, ...options.split(" "), "--sandbox"]
      expect(yield* quarry(argv)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) })
    }
  }))

it.scoped.each(recordsOfLists.filter(({ command: [group] }) => group === "wallet"))(
  "of $id says only once how many records of the list may be repeated, until there are more",
  ({ anonymous, command }) =>
    Effect.gen(function*() {
      let numbers = [1, 2]
      const client = HttpClient.make((request, { searchParams }) =>
        Effect.sync(() => {
          const page = numbers.map((number) => anonymous?.(number))
          const response = Response.json(pageOf([page, page], searchParams.get("cursor")))
          return HttpClientResponse.fromWeb(request, response)
        })
      )
      const watch = yield* startWatch(["watch", ...command], client)
      const counts = () => watch.captured.err.match(/\d+(?= without an identity)/g)
      yield* watch.poll
      yield* watch.poll
      expect(counts()).toEqual(["2"])
      numbers = [0, 1, 2]
      yield* watch.poll
      yield* watch.poll
      expect(counts()).toEqual(["2", "3"])
    })
)
