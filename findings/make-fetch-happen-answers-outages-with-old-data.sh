#!/usr/bin/env bash
# make-fetch-happen 15.0.6 (fetch with a cache, of npm): if an upstream cannot be reached, a response in the cache is the answer, with status
# 200, however old it is, also with Cache-Control: max-age=0 and with cache: "no-cache": here one of 10 days, without a Warning header. Only
# x-local-cache-status is "stale". A program that polls for new transfers so sees none, and no error. 503 is handed on; must-revalidate and
# cache: "no-store" report the error. Guess: an error once the response is no longer fresh. Needs Node 22 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund make-fetch-happen@15.0.6 node24@npm:node@24.21.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import makeFetch from "make-fetch-happen"
import { once } from "node:events"
import { createServer } from "node:http"
let down = false
let attempts = 0
const server = createServer(({ url, socket }, response) => {
  attempts++
  if (down === "closed") return socket.destroy()
  response.writeHead(down ? 503 : 200, {
    etag: '"v1"',
    date: new Date(Date.now() - 864_000_000).toUTCString(),
    "cache-control": url === "/must" ? "max-age=0, must-revalidate" : "max-age=0"
  }).end(down ? "down" : "10 days old")
}).listen(0, "127.0.0.1")
await once(server, "listening")
const fetch = makeFetch.defaults({ cachePath: "./cache" })
const read = async (name, path, options) => {
  attempts = 0
  const result = await fetch(`http://127.0.0.1:${server.address().port}${path}`, options).then(
    async (response) => `${response.status} "${await response.text()}", ${response.headers.get("x-local-cache-status")}, Warning ${response.headers.get("warning")}`,
    ({ code }) => `error ${code}`
  )
  console.log(`${name}, ${path}: ${result}, ${attempts} attempts`)
}
for (const path of ["/list", "/must"]) await read("up", path)
down = true
for (const path of ["/list", "/must"]) await read("503", path)
down = "closed"
for (const path of ["/list", "/must"]) await read("connection closed", path)
await read("connection closed, no-store", "/list", { cache: "no-store" })
await read("connection closed, no-cache", "/list", { cache: "no-cache" })
await read("connection closed, retry 2", "/list", { retry: { retries: 2, minTimeout: 1 } })
server.close()
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
up, /list: 200 "10 days old", miss, Warning null, 1 attempts
up, /must: 200 "10 days old", miss, Warning null, 1 attempts
503, /list: 503 "down", skip, Warning null, 1 attempts
503, /must: 503 "down", skip, Warning null, 1 attempts
connection closed, /list: 200 "10 days old", stale, Warning null, 1 attempts
connection closed, /must: error ECONNRESET, 1 attempts
connection closed, no-store, /list: error ECONNRESET, 1 attempts
connection closed, no-cache, /list: 200 "10 days old", stale, Warning null, 1 attempts
connection closed, retry 2, /list: 200 "10 days old", stale, Warning null, 3 attempts
EXPECTED
