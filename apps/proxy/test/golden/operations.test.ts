/** Records of all operations: responses, parameters, methods and the ledger's networks. */
import { allOperations } from "@blockquarry/core/Operations"
import { describe, it } from "vitest"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder } from "./support/golden.ts"

const json = ["Content-Type: application/json"]

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
    const { end, replay } = recorder("parameters")
    await replay("anonymous access from this machine, without a cache")
    await end()
  })

  it("of the body of an update", async () => {
    const { send, end, proxy } = recorder("bodies")
    const path = `/streams/evm/${examples.stream}/status`
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
