/** The sentences about lists in `docs/pagination.md`, for promises and every list operation. */
import { createClient, type ListOptions, type PageRepeats, PaginationError } from "@blockquarry/client"
import { expect, it } from "vitest"
import { pageOf, type RecordsOfList, recordsOfLists } from "../../core/test/support/listRecords.ts"
import { startServer } from "./support/Servers.ts"

type Items = (input: object, options?: ListOptions) => AsyncIterable<object>

const open = async ({ id, input }: RecordsOfList, pages: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const server = await startServer((url) => pageOf(pages, url.searchParams.get("cursor")))
  const client = createClient({ apiKey: "key", baseUrl: server.url })
  const { items: read }: { readonly items: Items } = Reflect.get(client, id)
  return async (options?: ListOptions) => {
    const items: Array<object> = []
    for await (const item of read(input, options)) items.push(item)
    return items.length
  }
}

it.each(recordsOfLists)(
  "$id leaves out records that the page before had too, counts those without an identity, and ends if pages repeat",
  async (of) => {
    const { anonymous, identified } = of
    for (const record of [identified, anonymous]) {
      if (record === null) continue
      const counts: Array<readonly [number, number]> = []
      const onPage = ({ leftOut, unidentified }: PageRepeats) =>
        void counts.push([leftOut.length, unidentified])
      const list = await open(of, [[record(1), record(2)], [], [record(2), record(3)]])
      expect(await list({ onPage })).toBe(record === identified ? 3 : 4)
      expect(counts).toEqual([[0, 0], [0, 0], record === identified ? [1, 0] : [0, 1]])
      const endless = await open(of, Array.from({ length: 20 }, () => [record(1), record(2)]))
      await expect(endless()).rejects.toBeInstanceOf(PaginationError)
      await expect(endless()).rejects.toHaveProperty("reason", "PagesRepeated")
    }
  }
)

it.each(recordsOfLists)(
  "$id does not compare the page after a bare cursor, but that after a cursor with the identities of its page",
  async (of) => {
    const { identified } = of
    if (identified === null) return
    const list = await open(of, [[identified(1), identified(2)], [identified(2), identified(3)]])
    const pages: Array<PageRepeats> = []
    expect(await list({ maxPages: 1, onPage: (page) => pages.push(page) })).toBe(2)
    expect(await list({ cursor: "after-1" })).toBe(2)
    expect(await list({ cursor: "after-1", previous: pages[0]?.identities })).toBe(1)
  }
)
