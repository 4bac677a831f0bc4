/** A map that evicts the least recently used entries when their total size exceeds a limit. */
export interface LruMap<V> {
  readonly get: (key: string) => V | undefined
  /** Returns a value without counting as a use. */
  readonly peek: (key: string) => V | undefined
  /** Stores a value, unless it is too large; then removes the one that it would replace. */
  readonly set: (key: string, value: V) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
  readonly values: () => ReadonlyArray<V>
}

/** The limits of an `LruMap`. By default the size of every entry is 1. */
export interface LruLimits<V> {
  readonly maxSize: number
  readonly maxEntrySize?: number
  readonly sizeOf?: (key: string, value: V) => number
}

/** The order of a `Map` is the order of use, because each use deletes the entry and inserts it again. */
export const make = <V>(
  { maxSize, maxEntrySize = maxSize, sizeOf = () => 1 }: LruLimits<V>
): LruMap<V> => {
  const entries = new Map<string, { readonly value: V; readonly size: number }>()
  let totalSize = 0

  const remove = (key: string) => {
    totalSize -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  const evict = () => {
    for (const key of entries.keys()) {
      if (totalSize <= maxSize) return
      remove(key)
    }
  }

  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    peek: (key) => entries.get(key)?.value,
    set: (key, value) => {
      remove(key)
      const size = sizeOf(key, value)
      if (size > maxEntrySize) return
      entries.set(key, { value, size })
      totalSize += size
      if (totalSize > maxSize) evict()
    },
    delete: remove,
    clear: () => {
      entries.clear()
      totalSize = 0
    },
    values: () => Array.from(entries.values(), ({ value }) => value)
  }
}
