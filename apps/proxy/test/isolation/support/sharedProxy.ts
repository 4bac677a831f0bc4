/** A proxy with three clients over one upstream, all on sockets: two behave well, the third does not. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  noisyClient,
  noisyPaths,
  pathOf,
  tokenOf
} from "../../../../../packages/bench/src/isolation/Misbehavior.ts"
import { defaults } from "../../../src/config/Config.ts"
import * as Harness from "../../hostile/harness.ts"
import { rawResponse } from "../../hostile/recordingUpstream.ts"
import { openAdmin, testClient } from "../../support/proxy.ts"

export { tokenOf }

export const paths = { cached: `/api/v2.2/nft/0x${"1".repeat(40)}/1`, uncached: pathOf("2") }

const nft = JSON.stringify({ token_address: `0x${"1".repeat(40)}`, token_id: "1" })

/** Small limits, so that a few requests reach them. */
const limits = {
  ...defaults.limits,
  maxConcurrentRequests: 64,
  maxListsPerClient: 4,
  maxBufferedBytes: 32 * 1024 * 1024,
  sendIdleTimeout: Duration.seconds(10)
}

const isNoisy = (target: string): boolean => !Object.values(paths).some((path) => target.startsWith(path))

const page = (result: string, cursor: string): string =>
  `{"result":[${result}],"cursor":"${cursor}","page":0,"page_size":100}`

/** A transfer of 1 MiB. */
const large = JSON.stringify({
  transaction_hash: `0x${"12".repeat(32)}`,
  block_number: 7,
  value: "5",
  token_name: "x".repeat(1024 * 1024)
})

export const start = (noisyRateLimit: string | undefined, rateLimit = RateLimit.none) =>
  Effect.gen(function*() {
    const proxy = yield* Harness.start({
      upstream: {
        maxConcurrentRequests: 16,
        keys: [
          { ...Harness.keyOf("key", "upstream-key", ["data"]), rateLimit },
          Harness.keyOf("others", "other-key", ["streams"])
        ]
      },
      config: {
        admin: openAdmin,
        cache: defaults.cache,
        // The response of the client with cached responses stays cached, however long a test takes
        policies: [{
          name: "nftMetadata",
          timeouts: {},
          retry: {},
          cache: { ttl: Duration.days(365), respectMaxAge: false, ignoreQuery: [] }
        }],
        clients: ["cached", "uncached", noisyClient].map((name) =>
          testClient(name, tokenOf(name), {
            scopes: ["read", "write"],
            rateLimit: name === noisyClient && noisyRateLimit !== undefined
              ? { limit: 10, window: 1000 }
              : null
          })
        )
      },
      limits
    })
    const { lines, upstream } = proxy
    let [noisySent, noisyServed] = [0, 0]
    const sentBefore = new Map<string, number>()
    upstream.respondWith((request) => {
      const [, target = ""] = request.split(" ")
      if (isNoisy(target)) noisySent += 1
      else sentBefore.set(target, noisySent)
      if (target.startsWith(paths.cached)) return rawResponse(200, nft)
      if (target.startsWith(noisyPaths.hanging)) return null
      const isLarge = target.startsWith(noisyPaths.large)
      return rawResponse(200, page(isLarge ? large : "", `after ${upstream.requests().length}`))
    })
    return {
      ...proxy,
      /** Requests of the noisy client that have ended, with or without a token. */
      noisyServed: (): number => {
        for (const line of lines.splice(0)) {
          if (line.includes("\"message\":\"request\"") && !/"client":"(un)?cached"/.test(line)) {
            noisyServed += 1
          }
        }
        return noisyServed
      },
      /** Upstream requests of the noisy client so far. */
      noisySent: (): number => noisySent,
      /** The same before a request of another client was sent. */
      noisySentBefore: (target: string): number => sentBefore.get(target) ?? Number.NaN
    }
  })

export type SharedProxy = Effect.Effect.Success<ReturnType<typeof start>>
