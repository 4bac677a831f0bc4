#!/usr/bin/env bash
# opossum 10.0.0 with cache or coalesce returns the results of other calls, in two ways. It keeps its cache in the options object that it is
# given, so breakers made with one options object share it: the transfers of an address are its balances, for cacheTTL, or for 10 s with
# coalesce (the default, also when nothing is in flight). And it compares calls by JSON.stringify of their arguments, which is {} for
# URLSearchParams, Headers, Request and Map: every page of a list is the first one, so a program that follows cursors never ends or has each
# record many times. Guess: a breaker has its own cache, and an object without a text of its own is not shared. An options object for each
# breaker and cacheGetKey prevent it. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 opossum@10.0.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import CircuitBreaker from "opossum"
const getBalances = async (address) => `balances of ${address}`
const getTransfers = async (address) => `transfers of ${address}`
const results = async (...breakers) => {
  const all = []
  for (const breaker of breakers) all.push(await breaker.fire("0xabc"))
  return all.join(", ")
}
for (const [name, options] of [["coalesce", { coalesce: true }], ["cache", { cache: true, cacheTTL: 1000 }], ["neither", {}]]) {
  const own = [new CircuitBreaker(getBalances, { ...options }), new CircuitBreaker(getTransfers, { ...options })]
  console.log(`${name}, options of their own: ${await results(...own)}`)
  const shared = [new CircuitBreaker(getBalances, options), new CircuitBreaker(getTransfers, options)]
  console.log(`${name}, one options object: ${await results(...shared)}`)
}

let requests = 0
const getPage = async (parameters) => {
  requests++
  if (parameters instanceof Request) return new URL(parameters.url).searchParams.get("cursor")
  return new URLSearchParams(parameters instanceof Headers ? [...parameters] : parameters).get("cursor")
}
const parameters = {
  URLSearchParams: (cursor) => new URLSearchParams({ cursor }),
  Request: (cursor) => new Request(`http://127.0.0.1/transfers?cursor=${cursor}`),
  Headers: (cursor) => new Headers({ cursor }),
  Map: (cursor) => new Map([["cursor", cursor]]),
  "plain object": (cursor) => ({ cursor }),
  text: (cursor) => `cursor=${cursor}`
}
const pages = async (label, options, make) => {
  const breaker = new CircuitBreaker(getPage, options)
  requests = 0
  const all = []
  for (const cursor of [1, 2, 3]) all.push(await breaker.fire(make(cursor)))
  console.log(`${label}: pages ${all.join(", ")} with ${requests} requests`)
}
for (const [type, make] of Object.entries(parameters)) {
  await pages(`coalesce, ${type}`, { coalesce: true }, make)
  await pages(`cache, ${type}`, { cache: true, cacheTTL: 1000 }, make)
}
await pages("coalesce with cacheGetKey, URLSearchParams", { coalesce: true, cacheGetKey: String }, parameters.URLSearchParams)
console.log("coalesceTTL:", new CircuitBreaker(getPage, { coalesce: true }).options.coalesceTTL)
process.exit()
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
coalesce, options of their own: balances of 0xabc, transfers of 0xabc
coalesce, one options object: balances of 0xabc, balances of 0xabc
cache, options of their own: balances of 0xabc, transfers of 0xabc
cache, one options object: balances of 0xabc, balances of 0xabc
neither, options of their own: balances of 0xabc, transfers of 0xabc
neither, one options object: balances of 0xabc, transfers of 0xabc
coalesce, URLSearchParams: pages 1, 1, 1 with 1 requests
cache, URLSearchParams: pages 1, 1, 1 with 1 requests
coalesce, Request: pages 1, 1, 1 with 1 requests
cache, Request: pages 1, 1, 1 with 1 requests
coalesce, Headers: pages 1, 1, 1 with 1 requests
cache, Headers: pages 1, 1, 1 with 1 requests
coalesce, Map: pages 1, 1, 1 with 1 requests
cache, Map: pages 1, 1, 1 with 1 requests
coalesce, plain object: pages 1, 2, 3 with 3 requests
cache, plain object: pages 1, 2, 3 with 3 requests
coalesce, text: pages 1, 2, 3 with 3 requests
cache, text: pages 1, 2, 3 with 3 requests
coalesce with cacheGetKey, URLSearchParams: pages 1, 2, 3 with 3 requests
coalesceTTL: 10000
EXPECTED
