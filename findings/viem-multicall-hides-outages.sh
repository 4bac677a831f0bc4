#!/usr/bin/env bash
# multicall of viem 2.57.20 resolves also when no call reached a contract: a 429, a 503, an error of JSON-RPC and a refused connection are
# results with status "failure", as if each contract had reverted. Its documentation speaks of calls that revert. A list of balances is
# then empty, or has the tokens of some chunks only, and no promise was rejected: a retry around the call, a circuit breaker and an error
# metric see a success. With allowFailure: false one contract that reverts rejects all. The cause of each error tells the cases apart.
# Guess: allowFailure is about contracts, and a failed request rejects. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund viem@2.57.20 >/dev/null

cat >program.mjs <<'PROGRAM'
import { once } from "node:events"
import { createServer } from "node:http"
import { BaseError, createPublicClient, decodeFunctionData, encodeAbiParameters, encodeFunctionResult, http, multicall3Abi, parseAbi } from "viem"

// A node with multicall3: the third token reverts
let requests = 0
let fault
const server = createServer(async (request, response) => {
  let text = ""
  for await (const part of request) text += part
  const { id, params } = JSON.parse(text)
  const failed = fault?.(++requests)
  if (typeof failed === "number") return response.writeHead(failed).end()
  const [calls] = decodeFunctionData({ abi: multicall3Abi, data: params[0].data }).args
  const result = calls.map(({ target }) => {
    const token = BigInt(target)
    return token === 3n ? { success: false, returnData: "0x" } : { success: true, returnData: encodeAbiParameters([{ type: "uint256" }], [token]) }
  })
  const body = failed ?? { result: encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result }) }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...body }))
}).listen(0, "127.0.0.1")
await once(server, "listening")
const transport = (port) => http(`http://127.0.0.1:${port}`, { retryCount: 0 })
const client = createPublicClient({ transport: transport(server.address().port) })
const refused = createPublicClient({ transport: transport(1) })
const abi = parseAbi(["function balanceOf(address) view returns (uint256)"])
const address = (number) => `0x${number.toString(16).padStart(40, "0")}`
const contracts = [1, 2, 3, 4, 5, 6].map((token) => ({ address: address(token), abi, functionName: "balanceOf", args: [address(99)] }))
const root = (error) => {
  const cause = error instanceof BaseError ? error.walk((inner) => inner.name.endsWith("RequestError") || inner.name.endsWith("RpcError")) : null
  return cause?.name ?? error.cause.name
}
const run = async (label, from, options, nextFault) => {
  requests = 0
  fault = nextFault
  const end = await from.multicall({ contracts, multicallAddress: address(1000), batchSize: 72, ...options }).then(
    (results) => `resolved: ${results.map((result) => result.status === "failure" ? root(result.error) : (result.result ?? result)).join(", ")}`,
    (error) => `rejected: ${root(error)}`
  )
  console.log(`${label}: ${end}`)
}
await run("no fault", client, {})
await run("429 for the second of three requests", client, {}, (number) => number === 2 ? 429 : undefined)
await run("503", client, {}, () => 503)
await run("JSON-RPC error -32005", client, {}, () => ({ error: { code: -32005, message: "limit exceeded" } }))
await run("connection refused", refused, {})
await run("no fault, allowFailure: false", client, { allowFailure: false })
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
no fault: resolved: 1, 2, ContractFunctionRevertedError, 4, 5, 6
429 for the second of three requests: resolved: 1, 2, HttpRequestError, HttpRequestError, 5, 6
503: resolved: HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError
JSON-RPC error -32005: resolved: LimitExceededRpcError, LimitExceededRpcError, LimitExceededRpcError, LimitExceededRpcError, LimitExceededRpcError, LimitExceededRpcError
connection refused: resolved: HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError, HttpRequestError
no fault, allowFailure: false: rejected: ContractFunctionRevertedError
EXPECTED
