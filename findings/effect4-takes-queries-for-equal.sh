#!/usr/bin/env bash
# Equal.equals of Effect 4.1.0 compares objects of any class by the properties that can be listed. Those that keep their state inside have
# none: all URLSearchParams are equal, all Headers, all Blobs, all promises, all keys of node:crypto, and all objects of a class with private
# fields. So a Cache whose key is a query calls its lookup once and answers each other query with that result, and a HashSet keeps one of
# them. URL, Request, Date, Map and RegExp differ. In Effect 3.22.4 each object is equal to itself only. Guess: two queries that differ are
# not equal. Needs Node 24 and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 node24@npm:node@24.21.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { createSecretKey } from "node:crypto"
import * as effect3 from "effect3"
import { Cache, Effect, Equal, HashSet } from "effect4"
class Amount {
  #value
  constructor(value) {
    this.#value = value
  }
}
const pairs = {
  URLSearchParams: ["a=1", "a=2"].map((query) => new URLSearchParams(query)),
  Headers: ["1", "2"].map((a) => new Headers({ a })),
  Blob: ["1", "2"].map((text) => new Blob([text])),
  Promise: [1, 2].map((value) => Promise.resolve(value)),
  "a key": ["1", "2"].map((text) => createSecretKey(Buffer.from(text))),
  "private fields": [1n, 2n].map((value) => new Amount(value)),
  URL: ["http://a/?a=1", "http://a/?a=2"].map((url) => new URL(url)),
  Request: ["http://a/?a=1", "http://a/?a=2"].map((url) => new Request(url)),
  Date: [1, 2].map((time) => new Date(time)),
  Map: [1, 2].map((value) => new Map([["a", value]])),
  RegExp: [/1/, /2/]
}
for (const [name, [first, second]] of Object.entries(pairs)) {
  console.log(`${name}: effect 4.1.0 ${Equal.equals(first, second)}, effect 3.22.4 ${effect3.Equal.equals(first, second)}`)
}
const queries = ["page=1", "page=2", "page=3"].map((query) => new URLSearchParams(query))
console.log("HashSet of three queries:", HashSet.size(HashSet.fromIterable(queries)))
let calls = 0
const read = Effect.gen(function* () {
  const cache = yield* Cache.make({ capacity: 100, lookup: (query) => Effect.sync(() => `call ${++calls} for ${query}`) })
  return yield* Effect.forEach(queries, (query) => Cache.get(cache, query))
})
console.log("effect 4.1.0, Cache:", await Effect.runPromise(read))
const read3 = effect3.Effect.gen(function* () {
  let calls = 0
  const cache = yield* effect3.Cache.make({ capacity: 100, timeToLive: "1 minute", lookup: (query) => effect3.Effect.sync(() => `call ${++calls} for ${query}`) })
  return yield* effect3.Effect.forEach(queries, (query) => cache.get(query))
})
console.log("effect 3.22.4, Cache:", await effect3.Effect.runPromise(read3))
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
URLSearchParams: effect 4.1.0 true, effect 3.22.4 false
Headers: effect 4.1.0 true, effect 3.22.4 false
Blob: effect 4.1.0 true, effect 3.22.4 false
Promise: effect 4.1.0 true, effect 3.22.4 false
a key: effect 4.1.0 true, effect 3.22.4 false
private fields: effect 4.1.0 true, effect 3.22.4 false
URL: effect 4.1.0 false, effect 3.22.4 false
Request: effect 4.1.0 false, effect 3.22.4 false
Date: effect 4.1.0 false, effect 3.22.4 false
Map: effect 4.1.0 false, effect 3.22.4 false
RegExp: effect 4.1.0 false, effect 3.22.4 false
HashSet of three queries: 1
effect 4.1.0, Cache: [ 'call 1 for page=1', 'call 1 for page=1', 'call 1 for page=1' ]
effect 3.22.4, Cache: [ 'call 1 for page=1', 'call 2 for page=2', 'call 3 for page=3' ]
EXPECTED
