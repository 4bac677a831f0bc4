/** What a list repeats: records of the page before, and cursors. */
import { invalidRecords } from "@blockquarry/core/Decoder"
import type { PageRepeats } from "@blockquarry/core/Page"

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

export interface SeenCursors {
  /**
   * Adds a cursor. Returns false if it is one of the last 32,768 cursors, or of somewhat older ones.
   */
  readonly add: (cursor: string) => boolean
}

/** The size of a generation: when the younger one is full, it replaces the older one. */
const generationSize = 32_768

/** Remembers the cursors of a list, so that a list whose cursors repeat ends. Takes at most 5 MB, however long the list is. */
export const seenCursors = (): SeenCursors => {
  let younger = new Set<string>()
  let older = new Set<string>()
  return {
    add: (cursor) => {
      const digest = digestOf(cursor)
      if (younger.has(digest) || older.has(digest)) return false
      if (younger.size === generationSize) {
        older = younger
        younger = new Set()
      }
      younger.add(digest)
      return true
    }
  }
}

/**
 * Returns 128 bits that identify a text. The hash is not cryptographic: a service that forges a collision only ends its
 * own list. Cryptographic ones take up to a third of the time of a page.
 */
const digestOf = (text: string): string => {
  let [a, b, c, d] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, 0x01000193) ^ (d >>> 15)
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (a >>> 13)
    c = Math.imul(c ^ unit, 0xc2b2ae35) ^ (b >>> 16)
    d = Math.imul(d ^ unit, 0x27d4eb2f) ^ (c >>> 14)
  }
  return String.fromCharCode(
    ...[a, b, c, d].flatMap((lane) => [lane & 0xffff, lane >>> 16])
  )
}
