/**
 * Limits on what each client has in flight, so that one does not take the capacity of the others: requests that need the upstream,
 * whole lists, and the memory for response bodies, which are received from the upstream or not yet read by their client.
 *
 * A list starts only if a request could, but does not hold the capacity that clients share: it lasts as long as its client reads, and
 * waits for the client's quotas between pages. A body that several clients read is counted for each of them, although it is in
 * memory once. What the engine does with a body between receiving and sending it, such as parsing, takes further memory for a moment.
 *
 * The counts survive reloads: requests in flight count against the limits of a new configuration.
 */
import type { CallClient } from "@blockquarry/http/gateway/CallContext"
import { FairShare } from "@blockquarry/http/gateway/FairShare"
import type { BodyMemory } from "@blockquarry/http/gateway/RawResponse"
import * as Either from "effect/Either"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import { type Config, shareOf } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

type LimitsConfig = Pick<Config, "clients" | "limits">

export interface ClientLimits {
  /** Returns the number of requests and lists of a client that are in flight. */
  readonly inFlight: (client: string) => number
  /** Counts a request, or a whole list, of a client. Returns a function that must be called once when it ends. */
  readonly acquire: (
    client: string,
    kind: "request" | "list",
    config: LimitsConfig
  ) => Either.Either<() => void, ProxyError.ProxyError>
  /** Returns the memory that all clients use, in bytes. */
  readonly bufferedBytes: () => number
  readonly memoryOf: (client: string, config: LimitsConfig) => ClientMemory
}

/** The memory of a client, for one request. */
export interface ClientMemory extends BodyMemory {
  /** Returns the error of the request when there was not enough memory. */
  readonly error: () => ProxyError.ProxyError
}

export const toCallClient = (
  { name, weight }: AuthenticatedClient,
  config: LimitsConfig
): CallClient => ({ name, weight, share: shareOf(config, "clientShare") })

export const make = (): ClientLimits => {
  const requests = new FairShare()
  const lists = new FairShare()
  const memory = new FairShare()
  return {
    inFlight: (client) => requests.held(client) + lists.held(client),
    acquire: (client, kind, config) => {
      const { maxConcurrentRequests, maxListsPerClient } = config.limits
      const isList = kind === "list"
      if (isList && lists.held(client) >= maxListsPerClient) return Either.left(tooManyLists)
      const share = shareOf(config, "clientShare")
      if (!requests.tryAcquire(client, 1, maxConcurrentRequests, share)) {
        return Either.left(share < 1 && requests.held(client) > 0 ? tooManyRequests : ProxyError.overloaded)
      }
      const release = () => requests.release(client, 1)
      if (!isList) return Either.right(release)
      release()
      lists.tryAcquire(client, 1, Number.POSITIVE_INFINITY, 1)
      return Either.right(() => lists.release(client, 1))
    },
    bufferedBytes: () => memory.used,
    memoryOf: (client, config) => {
      const { maxBufferedBytes } = config.limits
      const share = shareOf(config, "clientMemoryShare")
      // Applies if another request of the client was denied, and this one waits for the same response.
      let error = share < 1 ? tooMuchMemory : ProxyError.outOfMemory
      return {
        error: () => error,
        tryAcquire: (bytes) => {
          if (memory.tryAcquire(client, bytes, maxBufferedBytes, share)) return true
          error = memory.canAcquire(client, bytes, maxBufferedBytes, 1)
            ? tooMuchMemory
            : ProxyError.outOfMemory
          return false
        },
        release: (bytes) => memory.release(client, bytes)
      }
    }
  }
}

const limited = (message: string): ProxyError.ProxyError =>
  ProxyError.make("client-concurrency-limited", message, { "retry-after": "1" })

const tooManyRequests = limited(
  "too many concurrent requests of this client (limits.clientShare of limits.maxConcurrentRequests); retry later"
)

const tooManyLists = limited(
  "too many concurrent lists of this client (limits.maxListsPerClient); retry later"
)

const tooMuchMemory = ProxyError.make(
  "client-memory-limited",
  "the responses of this client need too much memory (limits.clientMemoryShare of limits.maxBufferedBytes); retry later",
  { "retry-after": "1" }
)
