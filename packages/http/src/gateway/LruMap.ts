/**
 * A map that evicts entries that have not been used for long when their total size approaches a limit.
 *
 * Unstable: this module may change in any release.
 */

export interface LruMap<V> {
  /** Returns a value, and counts as its use. */
  readonly get: (key: string) => V | undefined
  readonly peek: (key: string) => V | undefined
  /** Stores a value, unless it is too large; then removes the one that it would replace. */
  readonly set: (key: string, value: V) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
  readonly values: () => ReadonlyArray<V>
}

export interface LruMapOptions<V> {
  readonly maxSize: number
  /** At most half of `maxSize`, or 1, which is the default. */
  readonly maxEntrySize?: number
  /** Default: 1. */
  readonly sizeOf?: (key: string, value: V) => number
}

/**
 * Creates a map of two generations. Entries are used in the younger one, which becomes the older one when it has half of the size:
 * what was not used since is evicted then. So an entry stays until half of `maxSize` was stored or used again after its last use,
 * and a use of one of the younger generation changes nothing.
 */
export const make = <V>(
  { maxSize, maxEntrySize = maxSize, sizeOf = () => 1 }: LruMapOptions<V>
): LruMap<V> => {
  const largest = Math.min(maxEntrySize, Math.max(1, maxSize / 2))
  let younger = new Map<string, V>()
  let older = new Map<string, V>()
  let youngerSize = 0

  const remove = (key: string): void => {
    const value = younger.get(key)
    if (value !== undefined && younger.delete(key)) youngerSize -= sizeOf(key, value)
    older.delete(key)
  }

  const set = (key: string, value: V): void => {
    const size = sizeOf(key, value)
    if (size > largest) return remove(key)
    const replaced = younger.get(key)
    const others = replaced === undefined ? youngerSize : youngerSize - sizeOf(key, replaced)
    if (others + size > maxSize / 2) {
      remove(key)
      older = younger
      younger = new Map()
      youngerSize = size
    } else {
      if (replaced === undefined) older.delete(key)
      youngerSize = others + size
    }
    younger.set(key, value)
  }

  return {
    get: (key) => {
      const value = younger.get(key)
      if (value !== undefined) return value
      const aged = older.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    peek: (key) => younger.get(key) ?? older.get(key),
    set,
    delete: remove,
    clear: () => {
      younger = new Map()
      older = new Map()
      youngerSize = 0
    },
    values: () => [...older.values(), ...younger.values()]
  }
}
