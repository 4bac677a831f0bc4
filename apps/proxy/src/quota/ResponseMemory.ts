/**
 * Bounds the memory for response bodies (`limits.maxBufferedBytes`): those that are received from the upstream, and those
 * that clients have not read yet. Each client has a share (`limits.clientMemoryShare`), so that one that reads slowly cannot
 * take all memory.
 *
 * A body that several clients read is counted for each of them, although it is in memory once. What the engine does with a
 * body between receiving and sending it, such as parsing, takes further memory for a moment.
 */
import { FairShare } from "@blockquarry/http/gateway/FairShare"
import type { BodyMemory } from "@blockquarry/http/gateway/RawResponse"
import { type Config, shareOf } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

export type ResponseMemory = ReturnType<typeof make>

/** The memory of a client, for one request. */
export interface ClientMemory extends BodyMemory {
  /** Returns the error of the request when there was not enough memory. */
  readonly error: () => ProxyError.ProxyError
}

export const make = () => {
  const memory = new FairShare()
  return {
    /** The memory that all clients use, in bytes. */
    used: () => memory.used,
    memoryOf: (name: string, config: Pick<Config, "clients" | "limits">): ClientMemory => {
      const { maxBufferedBytes } = config.limits
      const share = shareOf(config, "clientMemoryShare")
      // Applies if another request of the client was denied, and this one waits for the same response.
      let error = share < 1 ? tooMuchMemory : ProxyError.outOfMemory
      return {
        error: () => error,
        tryAcquire: (bytes) => {
          if (memory.tryAcquire(name, bytes, maxBufferedBytes, share)) return true
          error = memory.canAcquire(name, bytes, maxBufferedBytes, 1)
            ? tooMuchMemory
            : ProxyError.outOfMemory
          return false
        },
        release: (bytes) => memory.release(name, bytes)
      }
    }
  }
}

const tooMuchMemory = ProxyError.make(
  "client-memory-limited",
  "the responses of this client need too much memory (limits.clientMemoryShare of limits.maxBufferedBytes); retry later",
  { "retry-after": "1" }
)
