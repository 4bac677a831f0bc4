/**
 * Bounds the memory for response bodies (`limits.maxBufferedBytes`): those that are received from the upstream, and those
 * that clients have not read yet. Each client has a share (`limits.clientMemoryShare`), so that one that reads slowly cannot
 * take all memory.
 *
 * A body that several clients read is counted for each of them, although it is in memory once. What the engine does with a
 * body between receiving and sending it, such as parsing, takes further memory for a moment.
 */
import { type BodyMemory, makeFairShare } from "@blockquarry/http/Gateway"
import { type Config, shareOf } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

export interface ResponseMemory {
  /** The memory that all clients use, in bytes. */
  readonly used: () => number
  /** Returns the memory of a client for one request. */
  readonly memoryOf: (client: string) => ClientMemory
}

/** The memory of a client, for one request. */
export interface ClientMemory extends BodyMemory {
  /** Returns the error of the request when there was not enough memory. */
  readonly denial: () => ProxyError.ProxyError
}

/** The limit of the current configuration applies, also to clients that already use more. */
export const make = (currentConfig: () => Pick<Config, "clients" | "limits">): ResponseMemory => {
  const memory = makeFairShare({
    get capacity() {
      return currentConfig().limits.maxBufferedBytes
    }
  })
  return {
    used: () => memory.used,
    memoryOf: (name) => {
      const share = shareOf(currentConfig(), "clientMemoryShare")
      // Applies if another request of the client was denied, and this one waits for the same response.
      let denial = share < 1 ? tooMuchMemory : ProxyError.outOfMemory
      return {
        denial: () => denial,
        tryAcquire: (bytes) => {
          if (memory.tryAcquire(name, bytes, share)) return true
          denial = memory.canAcquire(name, bytes, 1) ? tooMuchMemory : ProxyError.outOfMemory
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
