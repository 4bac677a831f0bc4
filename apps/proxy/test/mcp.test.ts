/**
 * Runs the vendor's MCP server through a proxy with clients. It is configured by its environment only: `API_BASE_URL` is
 * the proxy, `API_SPEC_URL` its OpenAPI document, `MORALIS_API_KEY` a client token, and `SERVER_CONFIG` the kind of API.
 */
import { operationIds } from "@blockquarry/core/Operations"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { examples, ledger, start, testClient } from "./support/proxy.ts"

const token = "token-of-the-mcp-server"

const scope = Effect.runSync(Scope.make())
const proxy = await Effect.runPromise(
  Scope.extend(start({ config: { clients: [testClient("mcp", token)] } }), scope)
)

const eth = ledger.chains.get("eth")
if (eth === undefined) throw new Error("the ledger has no eth")

const { token: coin, wallet } = examples

/** Path of the package's program. */
const program = join(
  dirname(createRequire(import.meta.url).resolve("@moralisweb3/api-mcp-server/package.json")),
  "dist/index.js"
)

interface Mcp {
  readonly child: ChildProcess
  readonly request: (method: string, params: object) => Promise<unknown>
  /** Everything written to standard error. */
  readonly stderr: () => string
}

/** Starts the server over standard input and output, and initializes the session. */
const begin = async (key: string): Promise<Mcp> => {
  const child = spawn(process.execPath, [program], {
    // The server reads a .env file from its working directory
    cwd: tmpdir(),
    env: {
      PATH: process.env["PATH"] ?? "",
      SERVER_CONFIG: "evm",
      API_BASE_URL: proxy.origin,
      API_SPEC_URL: `${proxy.origin}/openapi.json`,
      MORALIS_API_KEY: key
    },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let stderr = ""
  child.stderr.on("data", (piece) => {
    stderr += String(piece)
  })
  const waiting = new Map<unknown, (result: unknown) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: unknown = JSON.parse(line)
    if (Predicate.isRecord(message)) waiting.get(message["id"])?.(message["result"])
  })
  const failed = new Promise<never>((_, reject) =>
    child.once("exit", (code) => reject(new Error(`the server exited with ${code}: ${stderr}`)))
  )
  failed.catch(() => {})
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  let lastId = 0
  const request = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId
    const response = new Promise<unknown>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return Promise.race([response, failed])
  }
  await request("initialize", {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "test", version: "0" }
  })
  send({ method: "notifications/initialized" })
  return { child, request, stderr: () => stderr }
}

/** Calls a tool and returns its text. */
const call = async ({ request }: Mcp, name: string, args: object): Promise<string> => {
  const result = await request("tools/call", { name, arguments: args })
  const content = Predicate.isRecord(result) ? result["content"] : undefined
  const [first] = Array.isArray(content) ? content : []
  return Predicate.isRecord(first) ? String(first["text"]) : ""
}

/** Calls a tool that must succeed and returns the JSON document in its text. */
const read = async (mcp: Mcp, name: string, args: object) => {
  const text = await call(mcp, name, args)
  const [status, ...lines] = text.split("\n")
  expect([status, text.length > 0]).toEqual(["API Response (Status: 200):", true])
  return JSON.parse(lines.join("\n"))
}

const requests = () => Effect.runPromise(proxy.sandbox.recordedRequests)

let mcp: Mcp
let unauthorized: Mcp

beforeAll(async () => {
  ;[mcp, unauthorized] = await Promise.all([begin(token), begin("a-key-of-the-service")])
})
beforeEach(() => Effect.runPromise(proxy.sandbox.clearRecordedRequests))
afterAll(async () => {
  for (const { child } of [mcp, unauthorized]) child.kill("SIGKILL")
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("@moralisweb3/api-mcp-server", () => {
  it("has a tool for each operation", async () => {
    const listed = await mcp.request("tools/list", {})
    const tools = Predicate.isRecord(listed) && Array.isArray(listed["tools"]) ? listed["tools"] : []
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(operationIds.map((id) => `evm_${id.toLowerCase()}`))
    )
  })

  it("lists the transfers of a wallet, page by page", async () => {
    const args = { address: wallet, chain: "eth", limit: 3 }
    const first = await read(mcp, "evm_wallettransfers", args)
    const second = await read(mcp, "evm_wallettransfers", { ...args, cursor: first.cursor })
    const all = eth.walletTransfers(wallet)
    expect(
      [...first.result, ...second.result].map((
        { transaction_hash, value }
      ) => [transaction_hash, Number(value)])
    )
      .toEqual(Array.from({ length: 6 }, (_, index) => {
        const transfer = all.at(all.length - 1 - index)
        // It parses amounts as numbers, and loses precision
        return [transfer?.transaction, Number(transfer?.value)]
      }))
  })

  it("gets an error that explains how to obtain a token, and nothing is sent upstream", async () => {
    const text = await call(unauthorized, "evm_tokenprice", { address: coin, chain: "eth" })
    expect(text).toMatch(/^API Error: Status 401 .*unknown token/)
    expect(await requests()).toEqual([])
    expect(text + unauthorized.stderr()).not.toContain("a-key-of-the-service")
  })
})
