#!/usr/bin/env bash
# A complete response of application/json whose document is not whole, as a server sends it that failed within: ofetch 1.5.1 (of Nuxt and
# Nitro), gaxios 7.3.1 (of Google's clients) and needle 3.5.0 give the text itself as the data, status 200, no error. Then `data.items` is
# undefined, and `data.length` is the number of characters. ofetch does so for a page of HTML under application/json too, and gives lists of
# application/x-ndjson as a Blob. superagent 10.4.2 and fetch report an error. Guess: an error. ofetch's parseResponse: JSON.parse reports
# it. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund ofetch@1.5.1 gaxios@7.3.1 needle@3.5.0 superagent@10.4.2 >/dev/null

cat >program.mjs <<'PROGRAM'
import { request } from "gaxios"
import needle from "needle"
import { once } from "node:events"
import { createServer } from "node:http"
import { ofetch } from "ofetch"
import superagent from "superagent"
const bodies = { "/whole": '{"items":[{"value":"1"}]}', "/cut": '{"items":[{"value":"1"},{"val', "/page": "<h1>Down for maintenance</h1>", "/ndjson": '{"value":"1"}\n' }
const server = createServer(({ url }, response) => {
  response.setHeader("content-type", url === "/ndjson" ? "application/x-ndjson" : "application/json").end(bodies[url])
}).listen(0, "127.0.0.1")
await once(server, "listening")
const clients = {
  ofetch: (url) => ofetch(url),
  "ofetch with JSON.parse": (url) => ofetch(url, { parseResponse: JSON.parse }),
  gaxios: async (url) => (await request({ url })).data,
  needle: async (url) => (await needle("get", url)).body,
  superagent: async (url) => (await superagent.get(url)).body,
  fetch: async (url) => (await fetch(url)).json()
}
for (const [name, get] of Object.entries(clients)) {
  for (const path of Object.keys(bodies)) {
    const result = await get(`http://127.0.0.1:${server.address().port}${path}`).then(
      (data) => `${Buffer.isBuffer(data) ? "Buffer" : data?.constructor.name} ${typeof data === "object" ? Object.keys(data).length && !Buffer.isBuffer(data) ? JSON.stringify(data) : "" : JSON.stringify(data)}`.trim(),
      () => "error"
    )
    console.log(`${name} ${path}: ${result}`)
  }
}
server.close()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
ofetch /whole: Object {"items":[{"value":"1"}]}
ofetch /cut: String "{\"items\":[{\"value\":\"1\"},{\"val"
ofetch /page: String "<h1>Down for maintenance</h1>"
ofetch /ndjson: Blob
ofetch with JSON.parse /whole: Object {"items":[{"value":"1"}]}
ofetch with JSON.parse /cut: error
ofetch with JSON.parse /page: error
ofetch with JSON.parse /ndjson: Object {"value":"1"}
gaxios /whole: Object {"items":[{"value":"1"}]}
gaxios /cut: String "{\"items\":[{\"value\":\"1\"},{\"val"
gaxios /page: String "<h1>Down for maintenance</h1>"
gaxios /ndjson: Blob
needle /whole: Object {"items":[{"value":"1"}]}
needle /cut: String "{\"items\":[{\"value\":\"1\"},{\"val"
needle /page: String "<h1>Down for maintenance</h1>"
needle /ndjson: Buffer
superagent /whole: Object {"items":[{"value":"1"}]}
superagent /cut: error
superagent /page: error
superagent /ndjson: Buffer
fetch /whole: Object {"items":[{"value":"1"}]}
fetch /cut: error
fetch /page: error
fetch /ndjson: Object {"value":"1"}
EXPECTED
