/** The sentences about lists in `docs/pagination.md`, for commands and exports of every list operation. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  address,
  movingPages,
  pageOf,
  type RecordsOfList,
  recordsOfLists
} from "../../../../packages/core/test/support/listRecords.ts"
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

const identifiedLists = recordsOfLists.flatMap((list) =>
  list.identified === null ? [] : [{ ...list, record: list.identified }]
)

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

it.live.each(recordsOfLists)(
  "--all of $id prints every record without an identity, and counts them",
  (list) =>
    Effect.gen(function*() {
      const { anonymous } = list
      if (anonymous === null) return
      const pages = [[1, 2], [2, 1], [3]].map((page) => page.map(anonymous))
      const { code, err, out } = yield* run([...list.command, ...all], pages)
      expect([code, records(out)]).toEqual([0, expect.objectContaining({ length: 5 })])
      expect(err).toContain(
        "left out 0 records that the page before had too; 2 without an identity may be repeated"
      )
    })
)

it.live.each(recordsOfLists)(
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
    const page = { page: 0, page_size: 100, result: [identifiedLists[0]?.record(1)] }
    const { code, out } = yield* run(["wallet", "transfers", address, ...all], [], () => Response.json(page))
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

describe("an export", () => {
  const refused = () => new Response("{}", { status: 400 })

  /** The file, and what its manifest says about the whole list. Where a part ends depends on interruptions. */
  const contentOf = (file: string) => {
    const { parts, previous, status } = JSON.parse(readFileSync(`${file}.manifest.json`, "utf8"))
    const counted: ReadonlyArray<Readonly<Record<"records" | "leftOut", number>>> = parts
    const sumOf = (name: "records" | "leftOut") => counted.reduce((sum, part) => sum + part[name], 0)
    return {
      text: readFileSync(file, "utf8"),
      status,
      previous,
      records: sumOf("records"),
      leftOut: sumOf("leftOut")
    }
  }

  /** Copies the files of an export that runs, as they are if it is killed now. */
  const copyOf = (folder: string): string => {
    const copy = temporaryFolder(memory)
    cpSync(folder, copy, { recursive: true, filter: (name) => !name.includes(".lock") })
    return join(copy, "killed.ndjson")
  }

  const moving = movingPages(12, 2, [0, 1, 2, 0, 1, 1, 2, 0, 1])
  const length = 12

  it.live.each(identifiedLists)(
    "of $id that is continued with --resume is byte for byte the undisturbed one, and so is its manifest",
    (list) =>
      Effect.gen(function*() {
        const folder = temporaryFolder(memory)
        const pages = moving.map((page) => page.map(list.record))
        const whole = join(folder, "whole.ndjson")
        const { err } = yield* run([...list.command, "--to", whole], pages)
        const expected = contentOf(whole)
        const leftOut = moving.flat().length - length
        expect(numbersOf(expected.text, list.record)).toEqual(Array.from({ length }, (_, number) => number))
        expect(expected).toMatchObject({ leftOut, records: length })
        expect(err).toContain(`; ${leftOut} repeated left out`)
        for (let stop = 1; stop <= pages.length; stop++) {
          const ended = join(folder, `${stop}.ndjson`)
          const argv = [...list.command, "--to"]
          yield* run([...argv, ended], pages, (number) => number > stop ? refused() : undefined)
          const running = temporaryFolder(memory)
          let killed = ""
          yield* run([...argv, join(running, "killed.ndjson")], pages, (number) => {
            if (number === stop) killed = copyOf(running)
            return undefined
          })
          for (const file of [ended, killed]) {
            const { code } = yield* run([...argv, file, "--resume"], pages)
            expect([stop, code, contentOf(file)]).toEqual([stop, 0, expected])
          }
        }
      })
  )

  it.live("of many inputs, too, of which each is a list of its own", () =>
    Effect.gen(function*() {
      const list = identifiedLists[1]
      if (list === undefined) return
      const folder = temporaryFolder(memory)
      const pages = moving.map((page) => page.map(list.record))
      const argv = [...list.command.map((word) => word === address ? "-" : word), "--to"]
      const inputs = `${address}\n${address.replace("a", "b")}\n`
      const whole = join(folder, "whole.ndjson")
      yield* run([...argv, whole], pages, undefined, inputs)
      expect(records(readFileSync(whole, "utf8"))).toHaveLength(2 * length)
      for (let stop = 1; stop <= 2 * pages.length; stop++) {
        const running = temporaryFolder(memory)
        let killed = ""
        yield* run([...argv, join(running, "killed.ndjson")], pages, (number) => {
          if (number === stop) killed = copyOf(running)
          return undefined
        }, inputs)
        expect((yield* run([...argv, killed, "--resume"], pages, undefined, inputs)).code).toBe(0)
        expect([stop, contentOf(killed)]).toEqual([stop, contentOf(whole)])
      }
    }))
})
