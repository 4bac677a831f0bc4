/**
 * A map that evicts the least recently used entries when their total size exceeds a limit.
 *
 * Unstable: this module may change in any release.
 */

export interface LruMap<V> {
  /** Returns a value, which is the most recently used one from now on. */
  readonly get: (key: string) => V | undefined
  /** Returns a value. The order of use stays. */
  readonly peek: (key: string) => V | undefined
  /** Stores a value, unless it is too large; then removes the one that it would replace. */
  readonly set: (key: string, value: V) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
  /** Returns the values, the least recently used one first. */
  readonly values: () => ReadonlyArray<V>
}

export interface LruMapOptions<V> {
  readonly maxSize: number
  /** Default: `maxSize`. */
  readonly maxEntrySize?: number
  /** Default: 1. */
  readonly sizeOf?: (key: string, value: V) => number
}

interface Entry<V> {
  readonly key: string
  /**
   * Undefined once the entry is removed. The table that a `Map` replaces refers to its entries and to the next table: one that
   * has become old keeps all later ones, with their entries, until a full garbage collection.
   */
  value: V | undefined
  size: number
  /** The entries that were used just before and just after this one. */
  older: Entry<V> | undefined
  newer: Entry<V> | undefined
}

/**
 * Creates a map.
 *
 * A list has the order of use. To insert a key of a `Map` again instead makes the `Map` grow and shrink all the time.
 */
export const make = <V>(
  { maxSize, maxEntrySize = maxSize, sizeOf = () => 1 }: LruMapOptions<V>
): LruMap<V> => {
  const entries = new Map<string, Entry<V>>()
  let oldest: Entry<V> | undefined
  let newest: Entry<V> | undefined
  let totalSize = 0

  const unlink = (entry: Entry<V>): void => {
    const { newer, older } = entry
    if (older === undefined) oldest = newer
    else older.newer = newer
    if (newer === undefined) newest = older
    else newer.older = older
    entry.older = undefined
    entry.newer = undefined
  }

  const append = (entry: Entry<V>): void => {
    if (newest === undefined) oldest = entry
    else newest.newer = entry
    entry.older = newest
    newest = entry
  }

  const use = (entry: Entry<V>): void => {
    if (entry === newest) return
    unlink(entry)
    append(entry)
  }

  const remove = (entry: Entry<V> | undefined): void => {
    if (entry === undefined) return
    unlink(entry)
    totalSize -= entry.size
    entries.delete(entry.key)
    entry.value = undefined
  }

  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry !== undefined) use(entry)
      return entry?.value
    },
    peek: (key) => entries.get(key)?.value,
    set: (key, value) => {
      const existing = entries.get(key)
      const size = sizeOf(key, value)
      if (size > maxEntrySize) return remove(existing)
      if (existing === undefined) {
        const entry: Entry<V> = { key, value, size, older: undefined, newer: undefined }
        entries.set(key, entry)
        append(entry)
      } else {
        use(existing)
        totalSize -= existing.size
        existing.value = value
        existing.size = size
      }
      totalSize += size
      while (totalSize > maxSize && oldest !== undefined) remove(oldest)
    },
    delete: (key) => remove(entries.get(key)),
    clear: () => {
      while (oldest !== undefined) remove(oldest)
    },
    values: () => {
      const values: Array<V> = []
      for (let entry = oldest; entry !== undefined; entry = entry.newer) {
        // A removed entry is not in the list.
        if (entry.value !== undefined) values.push(entry.value)
      }
      return values
    }
  }
}
