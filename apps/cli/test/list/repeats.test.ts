/** The sentences about lists in `docs/pagination.md`, for commands and exports. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  address,
  movingPages,
  pageOf,
  type RecordsOfList,
  recordsOfLists
} from "../../../../packages/core/test/support/listRecords.ts"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { PartLimits } from "../../src/export/ExportPlan.ts"
import { memory, temporaryFolder } from "../support/exports.ts"
import { quarry, records, sandboxEnvironment } from "../support/quarry.ts"

type Pages = ReadonlyArray<ReadonlyArray<unknown>>

/** Runs a command with these pages. `onRequest` is called with the number of each request, and may replace its response. */
const run = (
  argv: ReadonlyArray<string>,
  pages: Pages,
  onRequest: (number: number) => Response | undefined = () => undefined,
  stdin = ""
) => {
  let requests = 0
  const client = HttpClient.make((request, { searchParams }) =>
    Effect.sync(() => {
      const response = onRequest(++requests) ?? Response.json(pageOf(pages, searchParams.get("cursor")))
      return HttpClientResponse.fromWeb(request, response)
    })
  )
  const env = { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
  // A page or two make a part
  return Effect.provideService(quarry(argv, { client, env, stdin }), PartLimits, {
    records: 3,
    bytes: 2 ** 20
  })
}

/** With and without an identity; every list in a full check. */
const lists = sample(recordsOfLists, 3)

const identifiedLists = lists.flatMap((list) =>
  list.identified === null ? [] : [{ ...list, record: list.identified }]
)

const [transfersOfWallet] = identifiedLists
if (transfersOfWallet === undefined) throw new Error("no lists")

/** Returns which of the numbers are printed, in order. */
const numbersOf = (out: string, record: NonNullable<RecordsOfList["identified"]>): ReadonlyArray<number> => {
  const numbers = Array.from({ length: 100 }, (_, number) => number)
  return records(out).map((printed) =>
    numbers.find((number) =>
      Object.entries(record(number)).every(([name, value]) =>
        value === undefined || String(printed[name]) === String(value)
      )
    ) ?? Number.NaN
  )
}

/** Returns the words of the command that continues a list. */
const continuation = (err: string): ReadonlyArray<string> =>
  (/^  quarry (.*)$/m.exec(err)?.[1] ?? "").replaceAll("'", "").split(" ")

const all = ["--all", "-o", "ndjson"]

/** The requests before which an export of these pages stops: together, the lists have all of them. */
const stopsOf = (pages: Pages, list: RecordsOfList): ReadonlyArray<number> =>
  sample(pages.map((_, index) => index + 1), 4, recordsOfLists.findIndex(({ id }) => id === list.id))

it.live.each(identifiedLists)(
  "--all of $id leaves out records that the page before had too, and says so once",
  (list) =>
    Effect.gen(function*() {
      const pages = [[1, 2], [], [2, 3], [3, 2, 4], [4, 5]].map((page) => page.map(list.record))
      const { code, err, out } = yield* run([...list.command, ...all], pages)
      expect([code, numbersOf(out, list.record)]).toEqual([0, [1, 2, 3, 4, 5]])
      expect(err.split("left out 4 records that the page before had too")).toHaveLength(2)
    })
)

it.live.each(lists)(
  "--all of $id prints every record without an identity, and counts them",
  (list) =>
    Effect.gen(function*() {
      const { anonymous } = list
      if (anonymous === null) return
      const pages = [[1, 2], [2, 1], [3]].map((page) => page.map(anonymous))
      const { code, err, out } = yield* run([...list.command, ...all], pages)
      expect([code, records(out)]).toEqual([0, expect.objectContaining({ length: 5 })])
      expect(err).toContain(`${list.id}: 2 without an identity may be repeated`)
      // An export has them in its summary and in its manifest
      const file = join(temporaryFolder(memory), "list.ndjson")
      const exported = yield* run([...list.command, "--to", file], pages)
      expect(exported.err).toContain("; 2 without an identity may be repeated")
      expect(sumOf(file, ({ omitted }) => omitted.unidentified)).toBe(2)
    })
)

it.live.each(lists)(
  "--all of $id fails after ten pages in a row with the records of the page before",
  (list) =>
    Effect.gen(function*() {
      const record = list.identified ?? list.anonymous
      const pages = Array.from({ length: 30 }, () => [record?.(1)])
      const { code, err } = yield* run([...list.command, ...all], pages)
      expect(code).not.toBe(0)
      expect(err).toContain("the upstream returned 10 pages in a row with the records of the page before")
    })
)

it.live("a wallet with one transfer is a list of one record, without total and cursor", () =>
  Effect.gen(function*() {
    const page = { page: 0, page_size: 100, result: [transfersOfWallet.record(1)] }
    const { command } = transfersOfWallet
    const { code, out } = yield* run([...command, ...all], [], () => Response.json(page))
    expect([code, records(out)]).toEqual([0, expect.objectContaining({ length: 1 })])
  }))

it.live.each(identifiedLists)(
  "a list of $id that continues inside a page repeats and loses no record of it",
  (list) =>
    Effect.gen(function*() {
      const pages = [[1, 2], [2, 3, 2, 4, 5]].map((page) => page.map(list.record))
      const rests = [[2, 3, 4, 5], [2, 3, 2, 4, 5], [4, 5], [5]]
      for (const [index, rest] of rests.entries()) {
        const count = index + 1
        const argv = [...list.command, "-o", "ndjson", "--limit", "9", "--max-items"]
        const first = yield* run([...argv, String(count)], pages)
        expect(numbersOf(first.out, list.record)).toEqual([1, 2, 3, 4].slice(0, count))
        // After 2 records, a bare cursor does not know the page before
        const continued = yield* run([...continuation(first.err), "--all", "--max-items", "9"], pages)
        expect([count, numbersOf(continued.out, list.record)]).toEqual([count, rest])
      }
    })
)

it.live("records of another input are not those of the page before", () =>
  Effect.gen(function*() {
    for (const { command, record } of identifiedLists) {
      const argv = [...command.map((word) => word === address ? "-" : word), ...all]
      const inputs = `${address}\n${address.replace("a", "b")}\n`
      const { code, out } = yield* run(argv, [[record(1), record(2)]], undefined, inputs)
      expect([code, numbersOf(out, record)]).toEqual([0, [1, 2, 1, 2]])
    }
  }))

/** Copies the files of an export that runs, as they are if it is killed now. */
const copyOf = (folder: string): string => {
  const copy = temporaryFolder(memory)
  cpSync(folder, copy, { recursive: true, filter: (name) => !name.includes(".lock") })
  return join(copy, "killed.ndjson")
}

const refuseAfter = (count: number) => (number: number) =>
  number > count ? new Response("{}", { status: 400 }) : undefined

/** Runs an export that fails, and one that is killed, at the request after so many. Returns their files. */
const interrupted = (argv: ReadonlyArray<string>, pages: Pages, count: number, stdin?: string) =>
  Effect.gen(function*() {
    const ended = join(temporaryFolder(memory), "ended.ndjson")
    yield* run([...argv, ended], pages, refuseAfter(count), stdin)
    const running = temporaryFolder(memory)
    let killed = ""
    yield* run([...argv, join(running, "killed.ndjson")], pages, (number) => {
      if (number === count) killed = copyOf(running)
      return undefined
    }, stdin)
    return [ended, killed]
  })

interface Part {
  readonly records: number
  readonly omitted: { readonly leftOut: number; readonly invalid: number; readonly unidentified: number }
}

const partsOf = (file: string): ReadonlyArray<Part> =>
  JSON.parse(readFileSync(`${file}.manifest.json`, "utf8")).parts

const sumOf = (file: string, count: (part: Part) => number): number =>
  partsOf(file).reduce((sum, part) => sum + count(part), 0)

const invalidOf = (file: string): string => {
  const name = `${file}.invalid.ndjson`
  return existsSync(name) ? readFileSync(name, "utf8") : ""
}

/** The files, and what the manifest says about the whole list. Where a part ends depends on interruptions. */
const contentOf = (file: string) => {
  const { previous, query, status } = JSON.parse(readFileSync(`${file}.manifest.json`, "utf8"))
  return {
    text: readFileSync(file, "utf8"),
    invalid: invalidOf(file),
    status,
    query,
    previous,
    records: sumOf(file, ({ records }) => records),
    leftOut: sumOf(file, ({ omitted }) => omitted.leftOut),
    unreadable: sumOf(file, ({ omitted }) => omitted.invalid)
  }
}

const unreadable = ({ anonymous, fact, identified }: RecordsOfList, number: number) => ({
  ...(identified ?? anonymous)?.(number),
  [fact]: { no: 1 }
})

describe("an export", () => {
  const moving = movingPages(12, 2, [0, 1, 2, 0, 1, 1, 2, 0, 1])
  const length = 12

  /** Pages of the list, of which three records cannot be read: one begins a page, and one is the last. */
  const pagesOf = (list: RecordsOfList) => {
    const pages: ReadonlyArray<Array<unknown>> = moving.map((page) =>
      page.map((number) => (list.identified ?? list.anonymous)?.(number))
    )
    const [broken, other, last] = [50, 51, 52].map((number) => unreadable(list, number))
    pages[1]?.unshift(broken)
    pages[3]?.push(other)
    pages.at(-1)?.push(last)
    return { pages, invalid: [[2, broken], [4, other], [pages.length, last]] }
  }

  it.live.each(lists)(
    "of $id that is continued with --resume is byte for byte the undisturbed one, and so are its other files",
    (list) =>
      Effect.gen(function*() {
        const { invalid, pages } = pagesOf(list)
        const whole = join(temporaryFolder(memory), "whole.ndjson")
        const argv = [...list.command, "--skip-invalid", "--to"]
        const { code, err } = yield* run([...argv, whole], pages)
        const expected = contentOf(whole)
        const leftOut = list.identified === null ? 0 : moving.flat().length - length
        expect(expected).toMatchObject({ leftOut, unreadable: 3, records: moving.flat().length - leftOut })
        expect([code, err]).toEqual([0, expect.stringContaining(`; 3 invalid in ${whole}.invalid.ndjson`)])
        expect(records(expected.invalid).map(({ page, record }) => [page, record])).toEqual(
          JSON.parse(JSON.stringify(invalid))
        )
        if (list.identified !== null) {
          expect(err).toContain(`; ${leftOut} repeated left out`)
          expect(numbersOf(expected.text, list.identified)).toEqual(Array.from({ length }, (_, at) => at))
        }
        for (const stop of stopsOf(pages, list)) {
          for (const file of yield* interrupted(argv, pages, stop)) {
            const resumed = yield* run([...argv, file, "--resume"], pages)
            expect([stop, resumed.code, contentOf(file)]).toEqual([stop, 0, expected])
          }
        }
      })
  )

  it.live("of many inputs, too, of which each is a list of its own", () =>
    Effect.gen(function*() {
      const { command, record } = transfersOfWallet
      const pages = moving.map((page) => page.map(record))
      const argv = [...command.map((word) => word === address ? "-" : word), "--to"]
      const inputs = `${address}\n${address.replace("a", "b")}\n`
      const whole = join(temporaryFolder(memory), "whole.ndjson")
      yield* run([...argv, whole], pages, undefined, inputs)
      expect(records(readFileSync(whole, "utf8"))).toHaveLength(2 * length)
      for (const stop of stopsOf([...pages, ...pages], transfersOfWallet)) {
        const [, killed = ""] = yield* interrupted(argv, pages, stop, inputs)
        expect((yield* run([...argv, killed, "--resume"], pages, undefined, inputs)).code).toBe(0)
        expect([stop, contentOf(killed)]).toEqual([stop, contentOf(whole)])
      }
    }))
})

describe("a record that cannot be read", () => {
  /** Pages of which two have such records, one of them nothing else. */
  const pagesOf = (list: RecordsOfList) => {
    const record = list.identified ?? list.anonymous ?? (() => ({}))
    const broken = (number: number) => unreadable(list, number)
    return [[record(1), record(2)], [broken(3), record(4), broken(5)], [broken(6)], [record(7), record(8)]]
  }

  it.live.each(lists)(
    "fails --all of $id, and is left out, named and counted with --skip-invalid",
    (list) =>
      Effect.gen(function*() {
        const pages = pagesOf(list)
        const failed = yield* run([...list.command, ...all], pages)
        expect([failed.code, failed.err]).toEqual([6, expect.stringContaining(`at result[0].${list.fact}`)])
        const { code, err, out } = yield* run([...list.command, ...all, "--skip-invalid"], pages)
        expect([code, records(out)]).toEqual([0, expect.objectContaining({ length: 5 })])
        const named = err.split("\n").flatMap((line) => /^left out of (page \d+: \S+):/.exec(line)?.[1] ?? [])
        expect(named.map((name) => name.replace(/ result(\[\d+\]).*/, "$1"))).toEqual([
          "page 2:[0]",
          "page 2:[2]",
          "page 3:[0]"
        ])
        expect(err).toMatch(/^left out 3 records that cannot be read$/m)
        const quiet = yield* run([...list.command, ...all, "--skip-invalid", "-q"], pages)
        expect(quiet.err).toBe("left out 3 records that cannot be read\n")
      })
  )

  it.live("is kept beside an export, in a file that is begun again if it is gone, and removed with the list", () =>
    Effect.gen(function*() {
      const pages = pagesOf(transfersOfWallet)
      const file = join(temporaryFolder(memory), "gone.ndjson")
      const argv = [...transfersOfWallet.command, "--skip-invalid", "--to", file]
      yield* run(argv, pages, refuseAfter(2))
      rmSync(`${file}.invalid.ndjson.partial`)
      const resumed = yield* run([...argv, "--resume", "-q"], pages)
      expect(resumed.err).toContain(`${file}.invalid.ndjson.partial has changed: records are missing`)
      expect(records(invalidOf(file)).map(({ page }) => page)).toEqual([3])
      yield* run([...argv, "--overwrite"], [[pages[0]?.[0]]])
      expect(existsSync(`${file}.invalid.ndjson`)).toBe(false)
    }))

  it.live.each(lists)(
    "of $id ends an export, which continues with --skip-invalid as if it had begun with it",
    (list) =>
      Effect.gen(function*() {
        const pages = pagesOf(list)
        const folder = temporaryFolder(memory)
        const whole = [...list.command, "--to", join(folder, "whole.ndjson")]
        yield* run([...whole, "--skip-invalid"], pages)
        const strict = [...list.command, "--to", join(folder, "strict.ndjson")]
        const failed = yield* run(strict, pages)
        expect([failed.code, failed.err]).toEqual([6, expect.stringMatching(/^hint: .*--skip-invalid/m)])
        const { code } = yield* run([...strict, "--skip-invalid", "--resume"], pages)
        expect([code, contentOf(join(folder, "strict.ndjson"))]).toEqual([
          0,
          contentOf(join(folder, "whole.ndjson"))
        ])
        // What was left out is missing in an export without it
        expect((yield* run([...whole, "--resume"], pages)).code).toBe(2)
      })
  )

  it.live("that comes again ten times fails with --skip-invalid, and others do not", () =>
    Effect.gen(function*() {
      const [, [broken] = []] = pagesOf(transfersOfWallet)
      const argv = [...transfersOfWallet.command, ...all, "--skip-invalid"]
      const same = yield* run(argv, Array.from({ length: 30 }, () => [broken]))
      expect([same.code, same.err]).toEqual([6, expect.stringContaining("10 pages in a row")])
      const others = Array.from({ length: 30 }, (_, number) => [{ ...Object(broken), number }])
      expect((yield* run(argv, others)).code).toBe(0)
    }))

  it.live.each(identifiedLists)(
    "of $id is named by what stops after it, and not by what stops before it",
    (list) =>
      Effect.gen(function*() {
        const broken = (number: number) => unreadable(list, number)
        const [one, two, three, four, five] = [1, 2, 3, 4, 5].map(list.record)
        const pages = [
          [broken(1), one, broken(2), two, broken(3), three],
          [three, broken(4), four, broken(5), five]
        ]
        for (const [items, count] of [[1, 1], [2, 2], [3, 3], [4, 4]] as const) {
          const argv = [...list.command, "--limit", "9", "--max-items", String(items), "--skip-invalid"]
          const { code, err } = yield* run([...argv, "-o", "ndjson"], pages)
          expect([code, err.match(/^left out of page/gm)?.length]).toEqual([0, count])
          const file = join(temporaryFolder(memory), "list.ndjson")
          yield* run([...argv, "--to", file], pages)
          expect(records(readFileSync(`${file}.invalid.ndjson`, "utf8"))).toHaveLength(count)
        }
      })
  )

  it.live("is kept in no file that is not of the export", () =>
    Effect.gen(function*() {
      const pages = pagesOf(transfersOfWallet)
      const file = join(temporaryFolder(memory), "own.ndjson")
      writeFileSync(`${file}.invalid.ndjson`, "own")
      const argv = [...transfersOfWallet.command, "--to", file]
      for (const options of [[], ["--skip-invalid"], ["--resume"]]) {
        const { code, err } = yield* run([...argv, ...options], pages)
        expect([code, err]).toEqual([2, expect.stringContaining(`${file}.invalid.ndjson exists`)])
        expect(readFileSync(`${file}.invalid.ndjson`, "utf8")).toBe("own")
      }
      expect((yield* run([...argv, "--skip-invalid", "--overwrite"], pages)).code).toBe(0)
    }))

  it.live("is kept as it was sent, with its input", () =>
    Effect.gen(function*() {
      const file = join(temporaryFolder(memory), "owners.ndjson")
      const sent = `{ "owner_address": "${address}",\n "balance": {"a": 123456789012345678901234567890.10} }`
      const text = `{"cursor": null, "result": [${sent}]}`
      const respond = () => new Response(text, { headers: { "content-type": "application/json" } })
      const argv = ["token", "owners", "-", "--skip-invalid", "--to", file]
      expect((yield* run(argv, [], respond, `${address}\n`)).code).toBe(0)
      const [line = ""] = readFileSync(`${file}.invalid.ndjson`, "utf8").split("\n")
      expect(line).toContain(sent.replace("\n", " "))
      expect(JSON.parse(line)).toMatchObject({ page: 1, input: address, path: "result[0].balance" })
    }))

  /** Transfers of a token, of which each is one that cannot be read too. Of a higher number, the block is lower. */
  const transfers = () => {
    const list = recordsOfLists.find(({ id }) => id === "tokenTransfers")
    const valid = (number: number) => list?.identified?.(number)
    const broken = (number: number) => ({ ...valid(number), value: { no: 1 }, name: "x".repeat(10_000) })
    const file = join(temporaryFolder(memory), "transfers.ndjson")
    /** What is complete: the blocks of the records, and of those that cannot be read. */
    const numbers = () =>
      [file, `${file}.invalid.ndjson`].map((name) =>
        (existsSync(name) ? records(readFileSync(name, "utf8")) : []).map((line) =>
          1_000_000 - Number(Object(line["record"] ?? line)["block_number"])
        )
      )
    return {
      argv: ["token", "transfers", address, "--skip-invalid", "--to", file],
      valid,
      broken,
      file,
      numbers
    }
  }

  it.live("is named and kept by the first of several runs with --since-last, however the others end", () =>
    Effect.gen(function*() {
      for (const requests of [1, 2, 9]) {
        const { argv, broken, numbers, valid } = transfers()
        const since = [...argv, "--since-last"]
        yield* run(since, [[valid(7), broken(7)]])
        expect(numbers()).toEqual([[7], [7]])
        const pages = [[valid(3), broken(3)], [broken(5), valid(7), broken(7)]]
        const { code } = yield* run(since, pages, refuseAfter(requests))
        expect(code).toBe(requests < 2 ? 2 : 0)
        if (requests < 2) {
          expect(numbers()).toEqual([[7], [7]])
          yield* run([...argv, "--resume"], pages)
        }
        expect([requests, numbers()]).toEqual([requests, [[7, 3], [7, 3, 5]]])
        const { err } = yield* run(since, pages.slice(0, 1))
        expect(err).not.toMatch(/left out of page|invalid/)
        expect(numbers()).toEqual([[7, 3], [7, 3, 5]])
        // Another record that looks the same but for a member is another one
        yield* run(since, [[{ ...broken(3), value: { no: 2 } }, valid(3), broken(3)]])
        expect(numbers()).toEqual([[7, 3], [7, 3, 5, 3]])
      }
    }))

  it.live("is kept with the old file until --overwrite has the new one", () =>
    Effect.gen(function*() {
      const { argv, broken, file, numbers, valid } = transfers()
      yield* run(argv, [[valid(1), broken(2)]])
      const overwrite = [...argv, "--overwrite"]
      const pages = [[valid(3), broken(4)], [broken(5), valid(6)]]
      for (const requests of [0, 1]) {
        yield* run(overwrite, pages, refuseAfter(requests))
        expect([requests, numbers()]).toEqual([requests, [[1], [2]]])
      }
      yield* run([...argv, "--resume"], pages, (number) => {
        expect([number, numbers()]).toEqual([number, [[1], [2]]])
        return undefined
      })
      expect(numbers()).toEqual([[3, 6], [4, 5]])
      yield* run(overwrite, [[valid(1)]])
      expect([numbers(), readdirSync(dirname(file)).length]).toEqual([[[1], []], 2])
    }))

  it.live("is known by a digest in the manifest, which does not have its text", () =>
    Effect.gen(function*() {
      const { argv, broken, file, valid } = transfers()
      const pages = [[broken(1), valid(2), broken(3)], [valid(4)]]
      for (const requests of [1, 2]) {
        yield* run([...argv, requests === 1 ? "--overwrite" : "--resume"], pages, refuseAfter(requests))
        expect(readFileSync(`${file}.manifest.json`, "utf8")).not.toContain("xxx")
      }
    }))

  it.live("is named once in a list without cursors, of which a block is read again", () =>
    Effect.gen(function*() {
      const { command, record } = transfersOfWallet
      const broken = { ...record(2), value: {} }
      const first = { page_size: 2, result: [record(1), broken, record(2)] }
      const rest = { page_size: 9, result: [broken, record(2)] }
      const file = join(temporaryFolder(memory), "owners.ndjson")
      const respond = (number: number) => Response.json(number === 1 ? first : rest)
      const { code } = yield* run([...command, "--skip-invalid", "--to", file], [], respond)
      expect([code, numbersOf(readFileSync(file, "utf8"), record)]).toEqual([0, [1, 2]])
      expect(records(readFileSync(`${file}.invalid.ndjson`, "utf8"))).toHaveLength(1)
    }))
})
