/** Caches parsed requests by request target. */
import { LRUCache } from "lru-cache"
import type { UpstreamRequest } from "../exchange/UpstreamRequest.ts"

export interface ParsedRequestCache {
  readonly get: (target: string) => UpstreamRequest | undefined
  readonly set: (target: string, request: UpstreamRequest) => void
}

const maxEntries = 4096

/** Limits the memory of the cache. Longer targets are rare and are not cached. */
const maxTargetLength = 1024

export const make = (): ParsedRequestCache => {
  const entries = new LRUCache<string, UpstreamRequest>({ max: maxEntries })
  return {
    get: (target) => entries.get(target),
    set: (target, request) => {
      if (target.length <= maxTargetLength) entries.set(target, request)
    }
  }
}
