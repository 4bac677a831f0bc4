#!/usr/bin/env bash
# RetryAgent and the retry interceptor of undici 8.13.1 continue a body that was cut with "Range", from the byte where it ended, and never
# send "If-Range". Only a strong ETag is compared: without one, with a weak ETag that changed, and with a Last-Modified that changed, the
# rest of the new version is appended to the start of the old one, as a success with status 200; the size must be the same, or unknown as
# with a chunked body. A list of the newest records has some twice and lacks others. RFC 9110 (15.3.7.3) joins parts only with a strong
# validator. A wait longer than maxTimeout (default: 30 s) is cut, so a 429 is repeated before Retry-After. Guess: an error, or a new start.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 undici@8.13.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { once } from "node:events"
import { createServer } from "node:http"
import { Agent, interceptors, request, RetryAgent } from "undici"

// The newest transfers first; between the versions, two have come and the last two of the page have gone
const versions = ["6,106\n5,105\n4,104\n3,103\n2,102\n", "8,108\n7,107\n6,106\n5,105\n4,104\n"]
let respond
let times = []
const server = createServer((request, response) => {
  times.push(performance.now())
  respond(request, response)
}).listen(0, "127.0.0.1")
await once(server, "listening")
const url = `http://127.0.0.1:${server.address().port}`
const get = async (dispatcher) => {
  times = []
  const { statusCode, body } = await request(url, { dispatcher })
  return `${statusCode} ${JSON.stringify(await body.text())}`
}

const cutOnce = (headers, length) => (request, response) => {
  const version = times.length - 1
  const text = versions[version]
  const start = Number(/\d+/.exec(request.headers.range ?? "0")[0])
  if (version === 0) {
    response.writeHead(200, { ...headers[0], ...length })
    response.write(text.slice(0, 18))
    setTimeout(() => response.destroy(), 50)
  } else if (request.headers["if-range"] !== undefined) {
    response.writeHead(200, { ...headers[1], "content-length": text.length }).end(text)
  } else if (request.headers["if-match"] !== undefined) {
    response.writeHead(412).end()
  } else {
    response.writeHead(206, { ...headers[1], "content-range": `bytes ${start}-${text.length - 1}/${text.length}` })
    response.end(text.slice(start))
  }
}
const retry = { minTimeout: 10 }
const dispatchers = { RetryAgent: new RetryAgent(new Agent(), retry), interceptor: new Agent().compose(interceptors.retry(retry)) }
const validators = {
  "no validator": [{}, {}],
  "weak ETags": [{ etag: 'W/"1"' }, { etag: 'W/"2"' }],
  "Last-Modified": [{ "last-modified": "Sun, 29 Nov 2026 00:00:00 GMT" }, { "last-modified": "Sun, 29 Nov 2026 01:00:00 GMT" }],
  "strong ETags": [{ etag: '"1"' }, { etag: '"2"' }]
}
for (const [name, dispatcher] of Object.entries(dispatchers)) {
  for (const [validator, headers] of Object.entries(validators)) {
    respond = cutOnce(headers, { "content-length": 30 })
    console.log(`${name}, ${validator}:`, await get(dispatcher).catch((error) => `${error.code} ${error.message}`))
  }
}
respond = cutOnce(validators["no validator"], {})
console.log("RetryAgent, no validator, chunked:", await get(dispatchers.RetryAgent))
respond = (_request, response) => response.writeHead(times.length === 1 ? 429 : 200, { "retry-after": "3" }).end()
const result = await get(new RetryAgent(new Agent(), { maxTimeout: 500 }))
console.log(`Retry-After 3, maxTimeout 500 ms: ${result}, waited ${times[1] - times[0] < 2000 ? "less" : "more"} than 2 s`)
process.exit()
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
RetryAgent, no validator: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
RetryAgent, weak ETags: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
RetryAgent, Last-Modified: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
RetryAgent, strong ETags: UND_ERR_REQ_RETRY server does not support the range header and the payload was partially consumed
interceptor, no validator: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
interceptor, weak ETags: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
interceptor, Last-Modified: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
interceptor, strong ETags: UND_ERR_REQ_RETRY server does not support the range header and the payload was partially consumed
RetryAgent, no validator, chunked: 200 "6,106\n5,105\n4,104\n5,105\n4,104\n"
Retry-After 3, maxTimeout 500 ms: 200 "", waited less than 2 s
EXPECTED
