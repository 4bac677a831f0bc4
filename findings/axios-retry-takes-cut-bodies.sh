#!/usr/bin/env bash
# axios 1.21.1 with axios-retry 4.5.0, on Node 20, 22 and 24: a response of status 200 whose chunked body ends without its last chunk is
# the error "stream has been aborted" (ERR_BAD_RESPONSE) of axios. With the option `validateResponse` of axios-retry that accepts the
# status, the same response is a success whose `data` is undefined, after one request: the option decides from the status whether an
# error is one, and its result replaces the error. Without the option the error stays, and there is one request too.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund axios@1.21.1 axios-retry@4.5.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import axios from "axios"
import axiosRetry from "axios-retry"
import { createServer } from "node:net"
let requests = 0
const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", () => {
    requests += 1
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"a":1}\n\r\n')
  })
}).listen(0, "127.0.0.1", async () => {
  const url = `http://127.0.0.1:${server.address().port}/`
  for (const options of [undefined, { retries: 3 }, { retries: 3, validateResponse: ({ status }) => status < 400 }]) {
    const client = axios.create()
    if (options !== undefined) axiosRetry(client, options)
    requests = 0
    const result = await client.get(url).then(
      ({ data, status }) => `success ${status} ${data}`,
      ({ code, message }) => `error ${code} ${message}`
    )
    console.log(`${Object.keys(options ?? {}).join(" ") || "axios alone"}: ${result}; requests: ${requests}`)
  }
  server.close()
})
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
axios alone: error ERR_BAD_RESPONSE stream has been aborted; requests: 1
retries: error ERR_BAD_RESPONSE stream has been aborted; requests: 1
retries validateResponse: success 200 undefined; requests: 1
EXPECTED
