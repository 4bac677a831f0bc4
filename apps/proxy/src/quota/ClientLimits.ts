/**
 * Limits on what each client has in flight: requests that need the upstream, and whole lists. They keep one client from
 * taking the capacity of the others.
 *
 * A list starts only if a request could, but does not hold the capacity that clients share: it lasts as long as its client
 * reads, and waits for the client's quotas between pages.
 *
 * The counts survive reloads: requests in flight count against the limits of a new configuration.
 */
import type { CallClient } from "@blockquarry/http/gateway/CallContext"
import { FairShare } from "@blockquarry/http/gateway/FairShare"
import * as Either from "effect/Either"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import { type Config, shareOf } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

type LimitsConfig = Pick<Config, "clients" | "limits">

export type ClientLimits = ReturnType<typeof make>

export const toCallClient = (
  { name, weight }: AuthenticatedClient,
  config: LimitsConfig
): CallClient => ({ name, weight, share: shareOf(config, "clientShare") })

export const make = () => {
  const requests = new FairShare()
  const lists = new FairShare()
  return {
    /** Returns the number of requests and lists of a client that are in flight. */
    inFlight: (client: string): number => requests.held(client) + lists.held(client),
    /** Counts a request, or a whole list, of a client. Returns a function that must be called once when it ends. */
    acquire: (
      client: string,
      kind: "request" | "list",
      config: LimitsConfig
    ): Either.Either<() => void, ProxyError.ProxyError> => {
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
    }
  }
}

const tooManyRequests = ProxyError.make(
  "client-concurrency-limited",
  "too many concurrent requests of this client (limits.clientShare of limits.maxConcurrentRequests); retry later",
  { "retry-after": "1" }
)

const tooManyLists = ProxyError.make(
  "client-concurrency-limited",
  "too many concurrent lists of this client (limits.maxListsPerClient); retry later",
  { "retry-after": "1" }
)
