#!/usr/bin/env bash
# @covalenthq/client-sdk 3.0.6 (GoldRush) promises retries after a 429, and never makes them: it throws an error of its own for the status
# and then looks for 429 in what the body says. Each 429 is one request and the result { error_code: 500, error_message: "Internal server
# error" }, whatever maxRetries is; only a 200 with error_code 429 in its body is repeated. A list (an async generator) that meets a 429 ends
# in order, with this result as its last item. Guess: 429, repeated. Requests go to a server of this script. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @covalenthq/client-sdk@3.0.6 >/dev/null

cat >program.mjs <<'PROGRAM'
import { GoldRushClient } from "@covalenthq/client-sdk"
import { once } from "node:events"
import { createServer } from "node:http"

let answers = []
let requests = 0
const server = createServer((request, response) => {
  requests++
  const [status, body] = answers.length > 1 ? answers.shift() : answers[0]
  response.writeHead(status, { "content-type": "application/json", ...(status === 429 ? { "retry-after": "1" } : {}) })
  response.end(JSON.stringify(body))
}).listen(0, "127.0.0.1")
await once(server, "listening")
const { fetch } = globalThis
globalThis.fetch = (url, options) => fetch(`http://127.0.0.1:${server.address().port}${url.pathname}${url.search}`, options)
const limited = { data: null, error: true, error_code: 429, error_message: "Too many requests" }
const page = (more) => ({ data: { items: [], pagination: { has_more: more } }, error: false })
const client = new GoldRushClient(`ckey_${"0".repeat(27)}`, { maxRetries: 2, retryDelay: 10 })
const result = ({ data, error_code, error_message }) => data === null ? `${error_code} ${error_message}` : "a page"

for (const [name, ...list] of [
  ["429 once, then 200", [429, limited], [200, page(false)]],
  ["429 always", [429, limited]],
  ["200 with 429 in its body, then 200", [200, limited], [200, page(false)]]
]) {
  answers = list
  requests = 0
  const answer = await client.BalanceService.getTokenBalancesForWalletAddress("eth-mainnet", "0x0")
  console.log(`${name}: ${result(answer)}, ${requests} requests`)
}
answers = [[200, page(true)], [429, limited]]
const items = []
for await (const item of client.BalanceService.getErc20TransfersForWalletAddress("eth-mainnet", "0x0")) items.push(result(item))
console.log(`list, 429 on its second page: ${items.join(", ")}, then the end of the loop`)
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
429 once, then 200: 500 Internal server error, 1 requests
429 always: 500 Internal server error, 1 requests
200 with 429 in its body, then 200: a page, 2 requests
list, 429 on its second page: a page, 500 Internal server error, then the end of the loop
EXPECTED
