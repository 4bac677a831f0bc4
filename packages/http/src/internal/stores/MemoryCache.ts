/** Cache entries in the memory of this process, limited by bytes. Evicts what was not used for long. */
import * as LruMap from "../../gateway/LruMap.ts"
import type { CacheEntry } from "./CacheBackend.ts"

export interface MemoryCache {
  readonly get: (key: string) => CacheEntry | undefined
  /**
   * Stores an entry, unless there is one with a higher version; then returns false. Does not store an entry that is too
   * large, but removes the one that it would replace.
   */
  readonly set: (key: string, entry: CacheEntry) => boolean
  readonly remove: (key: string) => void
  readonly clear: () => void
}

/** `maxBytes` limits the total size. No entry exceeds an eighth of it. With 0 or less, nothing is stored. */
export const make = (maxBytes: number): MemoryCache => {
  const maxSize = maxBytes > 0 ? maxBytes : 0
  const entries = LruMap.make<CacheEntry>({ maxSize, maxEntrySize: maxSize / 8, sizeOf })
  return {
    get: entries.get,
    set: (key, entry) => {
      const existing = entries.peek(key)
      if (existing !== undefined && existing.version > entry.version) return false
      entries.set(key, entry)
      return true
    },
    remove: entries.delete,
    clear: entries.clear
  }
}

/** Size of a decoded JSON body with its text, relative to the text. */
const decodedFactor = 5

/** Size of an entry without its body, in bytes. */
const entryOverhead = 1024

const sizeOf = (key: string, { response }: CacheEntry): number =>
  response.bytes.byteLength * decodedFactor + key.length * 2 + entryOverhead
