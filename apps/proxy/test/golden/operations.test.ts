/** Records of all operations: responses, parameters, methods and the ledger's networks. */
import { allOperations } from "@blockquarry/core/Operations"
import { describe, it } from "vitest"
import { ledger } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder } from "./support/golden.ts"

const { stream, token, unpricedToken, wallet } = examples

const data = "/api/v2.2"

const json = ["Content-Type: application/json"]

/** A transaction that exists only on the ledger's testnet. */
const testnetHash = [...ledger.transactions.testnet.keys()].find((key) =>
  !ledger.transactions.mainnet.has(key)
)

describe("golden records", () => {
  it("of every operation", async () => {
    const { send, end, proxy } = recorder("operations")
    await proxy("anonymous access from this machine, without a cache")
    for (const { id, method } of allOperations) {
      const { body, path } = sampleRequests[id] ?? { path: "" }
      await send(id, path, { method, ...(body === undefined ? {} : { headers: json, body }) })
    }
    for (const id of ["tokenPrice", "updateStreamStatus"]) {
      const { body, path } = sampleRequests[id] ?? { path: "" }
      const method = body === undefined ? "GET" : "POST"
      await send(`${id}, HEAD`, path, { method: "HEAD" })
      await send(`${id}, OPTIONS`, path, { method: "OPTIONS" })
      await send(`${id}, another method`, path, { method: method === "GET" ? "POST" : "GET" })
    }
    await end()
  })

  it("of parameters", async () => {
    const { send, end, proxy } = recorder("parameters")
    await proxy("anonymous access from this machine, without a cache")
    const transfers = `${data}/${wallet}/erc20/transfers`
    for (
      const [title, path] of [
        ["an invalid address", `${data}/0x12/erc20/transfers`],
        ["an unknown chain is forwarded", `${transfers}?chain=moonchain`],
        ["a chain by its id", `${transfers}?chain=0x89&limit=1`],
        ["a limit that is not a number", `${transfers}?limit=ten`],
        ["a limit over the page size of the sandbox", `${transfers}?limit=101`],
        ["an unknown parameter is forwarded", `${transfers}?limit=1&flavour=sweet`],
        ["a block and a date", `${transfers}?from_block=1&from_date=2020-01-01`],
        ["two errors", `${transfers}?limit=0&order=sideways`],
        ["several addresses", `${transfers}?contract_addresses[0]=${token}&limit=1`],
        ["a cursor of the library's own pagination", `${transfers}?cursor=quarry-block-1`],
        ["a cursor that the upstream rejects", `${transfers}?cursor=nonsense`],
        ["a price that does not exist", `${data}/erc20/${unpricedToken}/price?chain=eth`],
        ["an unknown chain among several", `${data}/wallets/${wallet}/chains?chains[]=moonchain`],
        [
          "a collection that is being indexed",
          `${data}/nft/${examples.unindexedCollection}?chain=eth&limit=1`
        ],
        ["the path in the upstream's older version", `/api/v2/erc20/${token}/price?chain=eth`],
        ["a transaction that does not exist", `/transactions/by_hash/0x${"0".repeat(64)}`],
        ["the ledger under /v1", `/v1/transactions/by_hash/${examples.transaction}`],
        ["the ledger's testnet", `/v1/transactions/by_hash/${testnetHash}?network=testnet`],
        ["an unknown network", `/v1/transactions/by_hash/${examples.transaction}?network=devnet`]
      ] as const
    ) await send(title, path)
    await end()
  })

  it("of the body of an update", async () => {
    const { send, end, proxy } = recorder("bodies")
    const path = `/streams/evm/${stream}/status`
    await proxy("anonymous access from this machine")
    for (
      const [title, body] of [
        ["active", `{"status":"active"}`],
        ["with whitespace and other fields", ` { "status" : "error", "note": 1 } `],
        ["empty", ""],
        ["a list", `["paused"]`],
        ["an unknown status", `{"status":"sleeping"}`],
        ["longer than 64 KiB", `{"status":"${"p".repeat(70_000)}"}`]
      ] as const
    ) await send(title, path, { method: "POST", headers: json, body })
    const body = `{"status":"paused"}`
    for (
      const [title, headers] of [
        ["not declared", []],
        ["declared as text", ["Content-Type: text/plain"]],
        ["declared with a character set", ["Content-Type: application/json; charset=utf-8"]],
        ["compressed", [...json, "Content-Encoding: gzip"]]
      ] as const
    ) await send(title, path, { method: "POST", headers, body })
    await send(
      "a stream that does not exist",
      `/streams/evm/${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}/status`,
      {
        method: "POST",
        headers: json,
        body
      }
    )
    await send("truncated by the client", path, {
      method: "POST",
      raw: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${
        json[0]
      }\r\nContent-Length: 19\r\n\r\n{"status"`
    })
    await send("chunked", path, {
      method: "POST",
      raw: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${
        json[0]
      }\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"status"\r\na\r\n:"paused"}\r\n0\r\n\r\n`
    })
    await end()
  })
})
