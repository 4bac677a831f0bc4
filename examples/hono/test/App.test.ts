/** The API over a real server, with the sandbox in the process. */
import { type Client, createClient } from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"
import { serve } from "@hono/node-server"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { makeApp } from "../src/App.ts"

const sandbox = createSandbox({ scale: 500 })
const { apiKey, baseUrl, examples } = sandbox

let client: Client
let server: ReturnType<typeof serve>
let origin = ""
let log: Array<string> = []

beforeEach(async () => {
  log = []
  // Retries without waiting
  client = createClient({
    apiKey,
    baseUrl,
    fetch: sandbox.fetch,
    retry: { attempts: 2, baseDelay: { transient: 0 } }
  })
  server = serve({
    fetch: makeApp(client, (message) => log.push(message)).fetch,
    hostname: "127.0.0.1",
    port: 0
  })
  await once(server, "listening")
  const address = server.address()
  origin = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
})

afterEach(async () => {
  server.close()
  await client.close()
})

it("returns a price as JSON, with amounts as strings of digits", async () => {
  const response = await fetch(`${origin}/tokens/${examples.token}/price`)
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({
      tokenAddress: examples.token,
      nativePrice: expect.objectContaining({ value: expect.stringMatching(/^\d+$/) })
    })
  ])
})

it("maps errors to statuses, and keeps details from callers", async () => {
  const request = async (path: string) => {
    const response = await fetch(`${origin}${path}`)
    return [response.status, await response.json()]
  }
  expect(await request(`/tokens/${examples.unpricedToken}/price`)).toEqual([404, { error: "not found" }])
  expect(await request("/tokens/0x12/price")).toEqual([400, { error: expect.stringContaining("address") }])
  sandbox.queueFaults({ status: 503 }, { status: 503 })
  expect(await request(`/tokens/${examples.token}/price`)).toEqual([
    503,
    { error: "temporarily unavailable; retry later" }
  ])
  expect(log).toHaveLength(3)
  expect(log.join("\n")).not.toContain(apiKey)
})

it("streams every transfer of a wallet once, also if a request fails", async () => {
  sandbox.queueFaults({}, { kind: "reset" })
  const response = await fetch(`${origin}/wallets/${examples.busyWallet}/transfers`)
  const transfers = (await response.text()).trimEnd().split("\n").map((line) => Object(JSON.parse(line)))
  const expected = []
  for await (
    const { log_index: index, transaction_hash: hash } of client.walletTransfers.items({
      address: examples.busyWallet
    })
  ) {
    expected.push(`${hash}:${index}`)
  }
  expect(expected.length).toBeGreaterThan(200)
  expect(transfers.map((transfer) => `${transfer.transaction_hash}:${transfer.log_index}`)).toEqual(expected)
})

it("breaks the connection if a list fails after its first page", async () => {
  // The adapter prints why it broke the connection
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  sandbox.queueFaults({}, { status: 400 })
  const response = await fetch(`${origin}/wallets/${examples.busyWallet}/transfers`)
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  expect(print).toHaveBeenCalled()
  print.mockRestore()
})

it("serves its routes below /api with the route for Next.js of the README", async () => {
  const project = fileURLToPath(new URL("../", import.meta.url))
  const [, code = ""] = /^```ts\n([^]*?)^```$/m.exec(readFileSync(join(project, "README.md"), "utf8")) ?? []
  const app = mkdtempSync(join(project, ".app-"))
  vi.stubEnv("QUARRY_API_KEY", apiKey)
  vi.stubEnv("QUARRY_BASE_URL", baseUrl)
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  try {
    mkdirSync(join(app, "api/path"), { recursive: true })
    const file = join(app, "api/path/route.ts")
    writeFileSync(file, code)
    const route: { readonly GET: (request: Request) => Promise<Response> } = await import(
      pathToFileURL(file).href
    )
    // Invalid input is rejected before a request is sent
    const response = await route.GET(new Request("http://host.test/api/tokens/0x12/price"))
    expect([response.status, await response.json()]).toEqual([400, {
      error: expect.stringContaining("address")
    }])
    expect(print).toHaveBeenCalledOnce()
  } finally {
    print.mockRestore()
    vi.unstubAllEnvs()
    rmSync(app, { recursive: true })
  }
})
