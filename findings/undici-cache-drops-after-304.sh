#!/usr/bin/env bash
# The cache interceptor of undici 8.13.1 does not renew an entry with a 304. One that says "max-age=60" makes it drop the entry, so the next
# request fetches the whole response again, without If-None-Match. So of a list that never changes every second response is a full one, which
# a service bills. After a 304 without Cache-Control the entry stays expired: the next request asks again at once. The stores in memory
# and in SQLite do the same. RFC 9111 (4.3.4) updates the stored response. Guess: one full response, and none for 60 s after the 304.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 undici@8.13.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { once } from "node:events"
import { createServer } from "node:http"
import { Agent, cacheStores, interceptors, request } from "undici"
let log = []
let renewed
const server = createServer((request, response) => {
  const conditional = request.headers["if-none-match"] !== undefined
  log.push(conditional ? 304 : 200)
  if (conditional) response.writeHead(304, { etag: '"1"', ...renewed }).end()
  else response.writeHead(200, { etag: '"1"', "cache-control": "max-age=2" }).end("list")
}).listen(0, "127.0.0.1")
await once(server, "listening")
const run = async (label, store, headers) => {
  log = []
  renewed = headers
  const dispatcher = new Agent().compose(interceptors.cache({ store }))
  const get = async () => (await request(`http://127.0.0.1:${server.address().port}`, { dispatcher })).body.text()
  // Three times: at once and again, then after the entry has expired, and again
  for (let round = 0; round < 3; round++) {
    await get()
    await get()
    await new Promise((resolve) => setTimeout(resolve, 2500))
  }
  console.log(`${label}: 6 requests of the program, responses ${log.join(" ")}`)
}
await run("memory, 304 with max-age=60", new cacheStores.MemoryCacheStore(), { "cache-control": "max-age=60" })
await run("SQLite, 304 with max-age=60", new cacheStores.SqliteCacheStore(), { "cache-control": "max-age=60" })
await run("memory, 304 without Cache-Control", new cacheStores.MemoryCacheStore(), {})
process.exit()
PROGRAM

node_modules/node24/bin/node --no-warnings program.mjs | tee output
diff output - <<'EXPECTED'
memory, 304 with max-age=60: 6 requests of the program, responses 200 304 200 304 200
SQLite, 304 with max-age=60: 6 requests of the program, responses 200 304 200 304 200
memory, 304 without Cache-Control: 6 requests of the program, responses 200 304 304 200
EXPECTED
