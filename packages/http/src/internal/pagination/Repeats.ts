/** What a page has in common with the page before it. Pure functions. */
import { invalidRecords } from "@blockquarry/core/Decoder"
import type { PageRepeats } from "@blockquarry/core/Page"
import { digestOf } from "./SeenCursors.ts"

export const none: PageRepeats = { leftOut: [], unidentified: 0, identities: [] }

/** Compares a page with the identities of the page before it. Records of one page are not compared with each other. */
export const compare = <Item>(
  result: ReadonlyArray<Item>,
  previous: ReadonlySet<string>,
  identity: (item: Item) => string | null
) => {
  const leftOut: Array<number> = []
  const identities: Array<string> = []
  let unidentified = 0
  const newItems = result.filter((item, index) => {
    const id = identity(item)
    const text = id ?? textOf(item)
    // A text without members says nothing about a record.
    if (text === "{}") return true
    const key = id ?? digestOf(text)
    identities.push(key)
    if (!previous.has(key)) return true
    if (id === null) unidentified += 1
    else leftOut.push(index)
    return id === null
  })
  const invalid = invalidRecords.get(result) ?? []
  identities.push(...invalid.map((record) => digestOf(textOf(record))))
  const length = result.length + invalid.length
  const known = identities.filter((key) => previous.has(key)).length
  // An empty page with a cursor is no page to compare with
  if (length === 0) identities.push(...previous)
  return { newItems, length, known, repeats: { leftOut, unidentified, identities } }
}

/** Returns the text of a whole record. */
export const textOf = (item: unknown): string =>
  String(JSON.stringify(item, (_, value: unknown) => typeof value === "bigint" ? String(value) : value))
