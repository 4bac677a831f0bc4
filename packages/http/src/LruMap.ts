/**
 * A map that evicts the least recently used entries when their total size exceeds a limit.
 *
 * Unstable: this module may change in any release.
 */
export { type LruMap, type LruMapOptions, make } from "./internal/stores/LruMap.ts"
