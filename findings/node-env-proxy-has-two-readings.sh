#!/usr/bin/env bash
# Node 24.21.0 with NODE_USE_ENV_PROXY=1: fetch and http.get of one process read the same variables differently. A request to an http URL
# through HTTP_PROXY is a CONNECT by fetch and the absolute form by http.get, so that a proxy which allows CONNECT to port 443 only
# (Squid's defaults) serves one of them. NO_PROXY=corp.example leaves subdomains to the proxy in http.get and not in fetch, a range of
# addresses counts in http.get only, and a network such as 10.0.0.0/8 in neither, without a word. Guess: one reading.
# Names with a leading dot are read alike. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund "node-$(node -p '`${process.platform}-${process.arch}`')@24.21.0" >/dev/null

cat >client.js <<'PROGRAM'
const { get } = require("node:http")
const url = process.argv[2]
const direct = () => "directly"
const byHttp = () => new Promise((resolve) =>
  get(url, (response) => response.resume().on("end", () => resolve(response.headers.via ?? direct()))).on("error", () => resolve(direct())))
const byFetch = async () => {
  const response = await fetch(url).catch(direct)
  return response.headers?.get("via") ?? direct()
}
byHttp().then(async (first) => console.log(`http.get ${first}, fetch ${await byFetch()}`))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import { connect } from "node:net"
import { promisify } from "node:util"
// A proxy, which answers itself, and in a tunnel too
const proxy = createServer((request, response) => response.setHeader("via", "by the absolute form").end())
const tunnel = createServer((request, response) => response.setHeader("via", "by CONNECT").end())
proxy.on("connect", (request, socket) => {
  socket.on("error", () => {})
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  socket.pipe(connect(tunnel.address().port, "127.0.0.1")).on("error", () => {}).pipe(socket)
})
for (const server of [proxy, tunnel]) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const node = process.argv[2]
console.log((await promisify(execFile)(node, ["--version"])).stdout.trim())
// Nothing listens at the address, and the name does not exist
const cases = [
  ["", "http://127.0.0.2:9999/"],
  ["127.0.0.2", "http://127.0.0.2:9999/"],
  ["127.0.0.0/8", "http://127.0.0.2:9999/"],
  ["127.0.0.1-127.0.0.9", "http://127.0.0.2:9999/"],
  ["corp.invalid", "http://api.corp.invalid/"],
  [".corp.invalid", "http://api.corp.invalid/"],
  ["*.corp.invalid", "http://api.corp.invalid/"],
  ["api.corp.invalid:80", "http://api.corp.invalid/"]
]
for (const [NO_PROXY, url] of cases) {
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${proxy.address().port}`, NO_PROXY }
  const { stdout } = await promisify(execFile)(node, ["client.js", url], { env })
  console.log(`NO_PROXY=${NO_PROXY} ${url}: ${stdout.trim()}`)
}
process.exit()
PROGRAM

node program.mjs "$(echo node_modules/node-*/bin/node)" | tee output
diff output - <<'EXPECTED'
v24.21.0
NO_PROXY= http://127.0.0.2:9999/: http.get by the absolute form, fetch by CONNECT
NO_PROXY=127.0.0.2 http://127.0.0.2:9999/: http.get directly, fetch directly
NO_PROXY=127.0.0.0/8 http://127.0.0.2:9999/: http.get by the absolute form, fetch by CONNECT
NO_PROXY=127.0.0.1-127.0.0.9 http://127.0.0.2:9999/: http.get directly, fetch by CONNECT
NO_PROXY=corp.invalid http://api.corp.invalid/: http.get by the absolute form, fetch directly
NO_PROXY=.corp.invalid http://api.corp.invalid/: http.get directly, fetch directly
NO_PROXY=*.corp.invalid http://api.corp.invalid/: http.get directly, fetch directly
NO_PROXY=api.corp.invalid:80 http://api.corp.invalid/: http.get directly, fetch directly
EXPECTED
