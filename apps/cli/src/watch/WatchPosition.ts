/**
 * The position of a watch in a list: which records are known, and from which block on the next poll reads.
 *
 * Each poll reads the last blocks again, because records may appear late in them: after a reorganisation, or because the
 * upstream indexes them with a delay. Records are known by their identity, so each is new once.
 */

export interface WatchableRecord {
  readonly block_number: number
  readonly transaction_hash: string
}

/** Where a poll starts to read: at a block, at a time (ISO 8601), or without both at the beginning of the list. */
export interface PollStart {
  readonly block?: number
  readonly time?: string
}

export interface WatchPositionOptions<in Item> {
  /** Returns a text that no other record has, except for records without a difference. */
  readonly identity: (item: Item) => string
  /** The number of blocks, up to the highest known one, that a poll reads again. */
  readonly overlap: number
}

export interface PositionSnapshot {
  readonly start: PollStart
  /** The known records from `start` on: identities with their blocks. */
  readonly known: ReadonlyArray<readonly [identity: string, block: number]>
}

/** The new records of a page. */
interface NewRecords<out Row> {
  readonly rows: ReadonlyArray<Row>
  /** Makes so many of the first ones known, and the known records before the next one. */
  readonly add: (count: number) => void
}

export interface WatchPosition<in Item extends WatchableRecord> {
  /** The highest block with a known record; null if there is none. */
  readonly highestBlock: () => number | null
  /** Reads the list once, from the start of the position on. */
  readonly startPoll: () => {
    readonly from: PollStart
    /** Finds the new records of the next page, at most `limit`. */
    readonly find: <Row extends { readonly item: Item }>(
      rows: ReadonlyArray<Row>,
      limit: number
    ) => NewRecords<Row>
  }
  readonly snapshot: () => PositionSnapshot
}

export const makeWatchPosition = <Item extends WatchableRecord>(
  initial: PositionSnapshot,
  { identity, overlap }: WatchPositionOptions<Item>
): WatchPosition<Item> => {
  let { start } = initial
  const known = new Map(initial.known)
  let highest: number | null = null
  for (const block of known.values()) highest = Math.max(highest ?? 0, block)

  const startAt = (block: number): void => {
    if (start.block !== undefined && start.block >= block) return
    start = { block }
    for (const [id, knownBlock] of known) {
      if (knownBlock < block) known.delete(id)
    }
  }

  return {
    highestBlock: () => highest,
    startPoll: () => {
      const from = start
      let occurrenceBlock = -1
      const occurrences = new Map<string, number>()
      return {
        from,
        find: <Row extends { readonly item: Item }>(rows: ReadonlyArray<Row>, limit: number) => {
          const newRows: Array<Row> = []
          const found = new Map<string, { readonly block: number; readonly isNew: boolean }>()
          for (const row of rows) {
            const { item, item: { block_number: block } } = row
            // A list may return records that it was not asked for
            if (block < (from.block ?? 0)) continue
            if (block !== occurrenceBlock) occurrences.clear()
            occurrenceBlock = block
            const text = identity(item)
            // A block may contain equal records, which are different ones
            const occurrence = occurrences.get(text) ?? 0
            occurrences.set(text, occurrence + 1)
            const id = occurrence === 0 ? text : `${text}#${occurrence}`
            const earlier = found.get(id)
            const isNew = earlier?.isNew ?? !known.has(id)
            if (isNew && earlier === undefined) {
              if (newRows.length >= limit) break
              newRows.push(row)
            }
            found.set(id, { block: Math.max(earlier?.block ?? 0, block), isNew })
          }
          const add = (count: number) => {
            let left = count
            for (const [id, { block, isNew }] of found) {
              if (isNew && left-- === 0) break
              known.set(id, Math.max(known.get(id) ?? 0, block))
              highest = Math.max(highest ?? 0, block)
            }
            if (highest !== null) startAt(Math.max(0, highest - overlap + 1))
          }
          return { rows: newRows, add }
        }
      }
    },
    snapshot: () => ({ start, known: [...known] })
  }
}
