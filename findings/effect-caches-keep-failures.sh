#!/usr/bin/env bash
# Cache.make, Effect.cached and Effect.cachedWithTTL of Effect 4.1.0 and 3.22.4 keep a failure as they keep a value: with a lifetime of an
# hour, one 503 is the answer for an hour, Effect.retry around the read repeats the failure that is kept, and Effect.cached fails until the
# process ends. p-memoize 8.0.0 and lru-cache 11.5.3 keep values only, and so does Cache.makeWith with a lifetime by exit. Guess: the next
# read runs the lookup again. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 p-memoize@8.0.0 lru-cache@11.5.3 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as effect3 from "effect3"
import * as effect4 from "effect4"
import { LRUCache } from "lru-cache"
import pMemoize from "p-memoize"
const makeLookup = () => {
  let calls = 0
  return { calls: () => calls, lookup: () => ++calls === 1 ? Promise.reject(new Error("503")) : Promise.resolve("value") }
}
for (const [name, { Cache, Effect, Exit }] of Object.entries({ "effect 4.1.0": effect4, "effect 3.22.4": effect3 })) {
  const get = (cache) => Cache.get?.(cache, "key") ?? cache.get("key")
  const byExit = { capacity: 10, timeToLive: (exit) => Exit.isSuccess(exit) ? "1 hour" : "0 millis" }
  const makers = {
    "Cache.make": (effect) => Effect.map(Cache.make({ capacity: 10, timeToLive: "1 hour", lookup: () => effect }), get),
    "Effect.cachedWithTTL": (effect) => Effect.cachedWithTTL(effect, "1 hour"),
    "Effect.cached": (effect) => Effect.cached(effect),
    "Cache.makeWith": (effect) => Effect.map(name.startsWith("effect 4") ? Cache.makeWith(() => effect, byExit) : Cache.makeWith({ ...byExit, lookup: () => effect }), get)
  }
  for (const [kind, make] of Object.entries(makers)) {
    const { calls, lookup } = makeLookup()
    const program = Effect.gen(function* () {
      const read = yield* make(Effect.tryPromise(lookup))
      const first = yield* Effect.exit(read)
      // A lifetime of 0 is over
      yield* Effect.sleep("20 millis")
      const second = yield* Effect.exit(Effect.retry(read, { times: 3 }))
      return `first ${first._tag}, with 3 retries ${second._tag}, ${calls()} calls`
    })
    console.log(`${name}, ${kind}: ${await Effect.runPromise(program)}`)
  }
}
const plain = {
  "p-memoize": (lookup) => pMemoize(lookup),
  "lru-cache": (lookup) => {
    const cache = new LRUCache({ max: 10, ttl: 3_600_000, fetchMethod: lookup })
    return () => cache.fetch("key")
  }
}
for (const [name, make] of Object.entries(plain)) {
  const { calls, lookup } = makeLookup()
  const read = make(lookup)
  const ends = []
  for (let index = 0; index < 2; index++) ends.push(await read().then(() => "Success", () => "Failure"))
  console.log(`${name}: first ${ends[0]}, then ${ends[1]}, ${calls()} calls`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
effect 4.1.0, Cache.make: first Failure, with 3 retries Failure, 1 calls
effect 4.1.0, Effect.cachedWithTTL: first Failure, with 3 retries Failure, 1 calls
effect 4.1.0, Effect.cached: first Failure, with 3 retries Failure, 1 calls
effect 4.1.0, Cache.makeWith: first Failure, with 3 retries Success, 2 calls
effect 3.22.4, Cache.make: first Failure, with 3 retries Failure, 1 calls
effect 3.22.4, Effect.cachedWithTTL: first Failure, with 3 retries Failure, 1 calls
effect 3.22.4, Effect.cached: first Failure, with 3 retries Failure, 1 calls
effect 3.22.4, Cache.makeWith: first Failure, with 3 retries Success, 2 calls
p-memoize: first Failure, then Success, 2 calls
lru-cache: first Failure, then Success, 2 calls
EXPECTED
