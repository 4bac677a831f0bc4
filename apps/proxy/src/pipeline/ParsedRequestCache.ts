/** Targets that were read before: equal ones need not be read again. */
import { LRUCache } from "lru-cache"
import type { UpstreamRequest } from "../exchange/UpstreamRequest.ts"

export interface ParsedRequestCache {
  readonly get: (target: string) => UpstreamRequest | undefined
  readonly set: (target: string, request: UpstreamRequest) => void
}

const maxEntries = 4096

/** Longer ones are rare, and would make the memory that this takes hard to tell. */
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
