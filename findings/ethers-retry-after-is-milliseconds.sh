#!/usr/bin/env bash
# ethers 6.17.0 takes the seconds of Retry-After for milliseconds: after a 429 with "Retry-After: 3" it asks again 3 ms later. A provider
# (JsonRpcProvider) that is told to wait a second sends its 12 attempts within the second, each of which the service may count, and fails
# with SERVER_ERROR; without the header it waits longer. A date and 0 are ignored. viem 2.57.20 waits as long as it is told.
# Guess: seconds (RFC 9110, 10.2.3). Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund ethers@6.17.0 viem@2.57.20 >/dev/null

cat >program.mjs <<'PROGRAM'
import { FetchRequest, JsonRpcProvider, Network } from "ethers"
import { once } from "node:events"
import { createServer } from "node:http"
import { createPublicClient, http } from "viem"

let times = []
let rejected
const server = createServer(async (request, response) => {
  times.push(performance.now())
  let text = ""
  for await (const part of request) text += part
  const { id } = text === "" ? {} : JSON.parse(text)
  const limited = times.length <= rejected.times
  response.writeHead(limited ? 429 : 200, limited ? rejected.headers : { "content-type": "application/json" })
  response.end(limited ? "" : JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }))
}).listen(0, "127.0.0.1")
await once(server, "listening")
const url = `http://127.0.0.1:${server.address().port}`

const provider = () => new JsonRpcProvider(url, Network.from(1), { staticNetwork: true, batchMaxCount: 1 })
const programs = {
  "ethers FetchRequest": () => new FetchRequest(url).send(),
  "ethers JsonRpcProvider": () => provider().getBlockNumber(),
  viem: () => createPublicClient({ transport: http(url) }).getBlockNumber()
}
const run = async (name, seconds, count) => {
  times = []
  rejected = { times: count, headers: seconds === undefined ? {} : { "retry-after": String(seconds) } }
  const end = await programs[name]().then(() => "success", (error) => error.code ?? error.name)
  const waited = times.at(-1) - times[0]
  const range = waited < 1000 ? "less than 1 s" : waited < 2000 ? "1 to 2 s" : "2 s or more"
  console.log(`${name}, 429 ${count === Infinity ? "always" : "once"}, Retry-After ${seconds}: ${end}, ${times.length} requests in ${range}`)
}
await run("ethers FetchRequest", 2, 1)
await run("ethers FetchRequest", 1500, 1)
await run("ethers JsonRpcProvider", 2, 1)
await run("ethers JsonRpcProvider", 1, Infinity)
await run("viem", 2, 1)
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
ethers FetchRequest, 429 once, Retry-After 2: success, 2 requests in less than 1 s
ethers FetchRequest, 429 once, Retry-After 1500: success, 2 requests in 1 to 2 s
ethers JsonRpcProvider, 429 once, Retry-After 2: success, 2 requests in less than 1 s
ethers JsonRpcProvider, 429 always, Retry-After 1: SERVER_ERROR, 12 requests in less than 1 s
viem, 429 once, Retry-After 2: success, 2 requests in 2 s or more
EXPECTED
