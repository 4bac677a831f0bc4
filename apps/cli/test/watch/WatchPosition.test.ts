/** Which records of a list are new, without a network. `exactlyOnce.test.ts` has the law. */
import { describe, expect, it } from "@effect/vitest"
import { makeWatchPosition, type PositionSnapshot } from "../../src/watch/WatchPosition.ts"

interface TestRecord {
  readonly block_number: number
  readonly transaction_hash: string
}

const record = (block: number, transaction: string): TestRecord => ({
  block_number: block,
  transaction_hash: transaction
})

const beginning: PositionSnapshot = { start: {}, known: [] }

const position = (initial: PositionSnapshot = beginning, overlap = 10, maxKnown = 1000) =>
  makeWatchPosition<TestRecord>(initial, { identity: (item) => item.transaction_hash, overlap, maxKnown })

/** Reads a whole list, as a poll does. */
const poll = (watch: ReturnType<typeof position>, list: ReadonlyArray<TestRecord>): ReadonlyArray<string> => {
  const { find, from } = watch.startPoll()
  const items = list.filter(({ block_number }) => block_number >= (from.block ?? 0))
  return added(find(items, Infinity)).flatMap((index) => items[index]?.transaction_hash ?? [])
}

/** Makes all new records of a page known. */
const added = (
  { add, indexes }: ReturnType<ReturnType<ReturnType<typeof position>["startPoll"]>["find"]>
): ReadonlyArray<number> => {
  add(indexes.length)
  return indexes
}

describe("a position", () => {
  it("does not repeat a record that moves to another block", () => {
    const watch = position()
    expect(poll(watch, [record(100, "a"), record(101, "b")])).toEqual(["a", "b"])
    expect(poll(watch, [record(101, "b"), record(109, "a")])).toEqual([])
    expect(poll(watch, [record(101, "b"), record(109, "a"), record(115, "c")])).toEqual(["c"])
    expect(poll(watch, [record(109, "a"), record(115, "c")])).toEqual([])
  })

  it("tells equal records of one page apart", () => {
    const watch = position()
    expect(poll(watch, [record(1, "a"), record(1, "a")])).toEqual(["a", "a"])
    expect(poll(watch, [record(1, "a"), record(1, "a")])).toEqual([])
    expect(poll(watch, [record(1, "a"), record(1, "a"), record(1, "a")])).toEqual(["a"])
  })

  it("tells equal records on different pages apart", () => {
    const watch = position()
    const { find } = watch.startPoll()
    expect(added(find([record(1, "a"), record(1, "b")], Infinity))).toEqual([0, 1])
    expect(added(find([record(1, "a"), record(2, "c")], Infinity))).toEqual([0, 1])
    expect(poll(watch, [record(1, "a"), record(1, "b"), record(1, "a"), record(2, "c")])).toEqual([])
  })

  it("ignores records before the start, which a list may return although it was not asked for them", () => {
    const watch = position({ start: { block: 50 }, known: [] })
    expect(added(watch.startPoll().find([record(49, "a"), record(50, "b")], Infinity))).toEqual([1])
  })

  it("remembers a bounded number of records, and always those of the highest block", () => {
    const watch = position(beginning, 10, 3)
    const items = [record(1, "a"), record(2, "b"), record(3, "c"), record(4, "d"), record(4, "e")]
    expect(poll(watch, items)).toEqual(["a", "b", "c", "d", "e"])
    expect(watch.snapshot().known.map(([id]) => id)).toEqual(["c", "d", "e"])
    expect(poll(watch, items)).toEqual([])
    const crowded = ["f", "g", "h", "i"].map((transaction) => record(5, transaction))
    expect(poll(watch, crowded)).toEqual(["f", "g", "h", "i"])
    expect(poll(watch, crowded)).toEqual([])
  })
})
