#!/usr/bin/env bash
# lru-cache 11.5.3: fetch() of a key whose entry leaves the cache before the value is there rejects with "evicted", and delete() or set() of
# the key lets it reject with "deleted" or "replaced". So a cache with room for 3 entries answers 3 of 10 simultaneous calls, and the others
# fail although their fetchMethod was called and succeeded (requests that are paid for). With allowStaleOnFetchAbort they get undefined, with
# ignoreFetchAbort their values. Guess: the value, which is just not kept. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund lru-cache@11.5.3 >/dev/null

cat >program.mjs <<'PROGRAM'
import { LRUCache } from "lru-cache"
for (const options of [{}, { ignoreFetchAbort: true }, { allowStaleOnFetchAbort: true }]) {
  const name = Object.keys(options)[0] ?? "defaults"
  let calls = 0
  const make = () => {
    // Each call is answered when the test says so
    const answers = new Map()
    const cache = new LRUCache({ max: 3, ...options, fetchMethod: (key) => {
      calls++
      return new Promise((resolve) => answers.set(key, () => resolve(`value ${key}`)))
    } })
    return { cache, answer: async (promises) => {
      answers.forEach((run) => run())
      return (await Promise.allSettled(promises)).map(({ status, value, reason }) => status === "fulfilled" ? String(value) : `error ${reason.message}`)
    } }
  }
  const many = make()
  const results = await many.answer(Array.from({ length: 10 }, (_, key) => many.cache.fetch(key)))
  console.log(`${name}: 10 keys at once, ${calls} calls: ${results.join(", ")}`)
  const deleted = make()
  const first = deleted.cache.fetch("a")
  deleted.cache.delete("a")
  console.log(`${name}: deleted meanwhile: ${await deleted.answer([first])}`)
  const replaced = make()
  const second = replaced.cache.fetch("a")
  replaced.cache.set("a", "newer")
  console.log(`${name}: set meanwhile: ${await replaced.answer([second])}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
defaults: 10 keys at once, 10 calls: error evicted, error evicted, error evicted, error evicted, error evicted, error evicted, error evicted, value 7, value 8, value 9
defaults: deleted meanwhile: error deleted
defaults: set meanwhile: error replaced
ignoreFetchAbort: 10 keys at once, 10 calls: value 0, value 1, value 2, value 3, value 4, value 5, value 6, value 7, value 8, value 9
ignoreFetchAbort: deleted meanwhile: value a
ignoreFetchAbort: set meanwhile: value a
allowStaleOnFetchAbort: 10 keys at once, 10 calls: undefined, undefined, undefined, undefined, undefined, undefined, undefined, value 7, value 8, value 9
allowStaleOnFetchAbort: deleted meanwhile: undefined
allowStaleOnFetchAbort: set meanwhile: undefined
EXPECTED
