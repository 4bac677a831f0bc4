/** `--curl` and `quarry api`: the requests as they are sent, and the responses as they arrive. */
import { type OperationId, operationIds } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { formatCurl } from "../../src/diagnostics/Curl.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { directories } from "../config/support.ts"
import { quarry, records, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"
import { serveSandbox } from "./support.ts"

const { collection, stream, token, transaction, wallet } = exampleValues

/** A command of each operation, and the same call with `quarry api`. */
const calls: { readonly [Id in OperationId]: readonly [command: string, parameters: string] } = {
  walletTransfers: [
    `wallet transfers ${wallet} --limit 2 --contract-addresses ${token}`,
    `address=${wallet} limit=2 contract_addresses=${token}`
  ],
  tokenTransfers: [`token transfers ${token} --max-items 3`, `address=${token} limit=3`],
  contractNfts: [`nft list ${collection} --limit 2`, `address=${collection} limit=2`],
  nftOwners: [`nft owners ${collection} 1`, `address=${collection} token_id=1`],
  walletNftTrades: [`wallet nft-trades ${wallet} --limit 2`, `address=${wallet} limit=2`],
  tokenOwners: [`token owners ${token} --limit 2`, `token_address=${token} limit=2`],
  nftMetadata: [
    `nft get ${collection} 1 --normalize-metadata`,
    `address=${collection} token_id=1 normalizeMetadata=true`
  ],
  tokenPrice: [
    `token price ${token} --chain eth --include percent_change`,
    `address=${token} chain=eth include=percent_change`
  ],
  walletChains: [
    `wallet chains ${wallet} --chains eth,polygon`,
    `address=${wallet} chains[]=eth chains[]=polygon`
  ],
  updateStreamStatus: [`stream set-status ${stream} paused`, `id=${stream} status=paused`],
  ledgerTransaction: [`ledger tx ${transaction}`, `txn_hash=${transaction}`]
}

/** Runs a line in a shell. */
const shell = (line: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(
      "/bin/sh",
      ["-c", line],
      { env: { PATH: process.env["PATH"], ...env } },
      (error, stdout) => error === null ? resolve(stdout) : reject(error)
    )
  })

describe("--curl", () => {
  it.live("prints a command for every operation that sends the same request", () =>
    Effect.gen(function*() {
      const env = yield* serveSandbox
      const client = yield* HttpClient.HttpClient
      for (const [operation, [command, parameters]] of Object.entries(calls)) {
        const printed = yield* quarry([...command.split(" "), "--curl"], { env })
        expect([operation, printed.code, printed.out.trim().split("\n")]).toEqual([
          operation,
          0,
          [expect.stringMatching(/^curl /)]
        ])
        expect(printed.out).not.toContain(Sandbox.apiKey)
        const sent = yield* Effect.promise(() => shell(`${printed.out.trim()} --silent --fail`, env))
        const raw = yield* quarry(["api", operation, ...parameters.split(" ")], { client, env })
        // The last request of a stream, and a cursor with salt, change with every request
        const comparable = (text: string) => text.replace(/"(?:cursor|statusMessage|updatedAt)":"[^"]*"/g, "")
        expect([operation, comparable(raw.out)]).toEqual([operation, comparable(sent)])
        const alsoPrinted = yield* quarry(["api", operation, ...parameters.split(" "), "--curl"], { env })
        expect(alsoPrinted.out).toBe(printed.out)
      }
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)), 60_000)

  it.live("sends nothing, and needs no API key", () =>
    Effect.gen(function*() {
      const { client, sent } = respondingWith("{}")
      const env = { QUARRY_BASE_URL: "https://a.test" }
      const ran = yield* quarry(["token", "owners", token, "--all", "--curl"], { client, env })
      expect(ran).toMatchObject({
        code: 0,
        out: expect.stringContaining("\"x-api-key: $QUARRY_API_KEY\""),
        err: expect.stringContaining("set QUARRY_API_KEY")
      })
      expect(sent).toEqual([])
    }))

  it.live("says where the key comes from, if not from the environment, and does not read it", () =>
    Effect.gen(function*() {
      const { project, run, writeUser } = yield* directories
      const trace = join(project, "trace")
      writeUser(`base-url: https://a.test\napi-key-command: echo key-of-command | tee ${trace}\n`)
      const ran = yield* run(["token", "price", token, "--curl"])
      expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^curl /) })
      expect(ran.err).toContain("quarry reads the key from api-key-command")
      expect((yield* run(["token", "transfers", token, "--dry-run"])).code).toBe(0)
      expect(existsSync(trace)).toBe(false)
    }).pipe(Effect.scoped))

  it.live("refers to the sandbox server with --sandbox, and to the network of the ledger", () =>
    Effect.gen(function*() {
      const ran = yield* quarry(["ledger", "tx", transaction, "--network", "testnet", "--sandbox", "--curl"])
      expect(ran.out).toContain(`http://127.0.0.1:4000/testnet/transactions/by_hash/${transaction}`)
      expect(ran.err).toContain("quarry sandbox serve")
    }))

  it.live("is an error for commands that call no operation, and for invalid values", () =>
    Effect.gen(function*() {
      expect(yield* quarry(["config", "list", "--curl"])).toMatchObject({
        code: 2,
        err: expect.stringContaining("unknown option --curl for \"quarry config list\"")
      })
      expect((yield* quarry(["token", "price", "0x12", "--curl", "--sandbox"])).code).toBe(2)
      expect((yield* quarry(["token", "price", token, "--curl"])).err).toContain("QUARRY_BASE_URL is not set")
    }))

  it("quotes what a shell would interpret", async () => {
    const body = JSON.stringify({ text: "it's $HOME `id` \"x\" \\ !" })
    const line = formatCurl({ method: "POST", path: "", query: [], body }, "http://a.test/$(id)?a='b'&c")
    const words = await shell(line.replace(/^curl/, "printf '%s\\n'"), { QUARRY_API_KEY: "the key" })
    expect(words.split("\n")).toEqual([
      "--request",
      "POST",
      "http://a.test/$(id)?a='b'&c",
      "--header",
      "x-api-key: the key",
      "--header",
      "accept: application/json",
      "--header",
      "content-type: application/json",
      "--data",
      body,
      ""
    ])
  })
})

describe("quarry api", () => {
  it.live("lists all operations with their parameters", () =>
    Effect.gen(function*() {
      const { code, out } = yield* quarry(["api"])
      expect(code).toBe(0)
      const listed = records(out)
      expect(listed.map(({ operation }) => operation)).toEqual(operationIds)
      expect(listed[0]).toMatchObject({
        method: "GET",
        parameters: expect.stringContaining("address [chain]")
      })
      expect((yield* quarry(["api"], { terminal: 100 })).out).toContain("walletTransfers")
    }))

  it.live("rejects a format in which it prints no response", () =>
    Effect.gen(function*() {
      const call = ["api", "tokenPrice", `address=${token}`, "--sandbox", "-o"]
      expect(yield* quarry([...call, "csv"])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^error: --output csv: the response is printed as the service sends it$/m)
      })
      expect((yield* quarry([...call, "json"])).code).toBe(0)
    }))

  it.live("prints the bytes of the body", () =>
    Effect.gen(function*() {
      const body = `{ "usdPrice" :1.50,\n"extra":"Ä\u200e" }`
      const { client } = respondingWith(body)
      const ran = yield* quarry(["api", "tokenPrice", `address=${token}`], {
        client,
        env: sandboxEnvironment
      })
      expect(ran).toMatchObject({ code: 0, out: body, err: "" })
    }))

  it.live("prints status and safe headers with -i", () =>
    Effect.gen(function*() {
      const { client } = respondingWith(`{"usdPrice":1}`, 200, {
        "content-type": "application/json",
        "set-cookie": "session=1",
        "x-request-id": "r-1"
      })
      const argv = ["api", "tokenPrice", `address=${token}`, "-i"]
      const ran = yield* quarry(argv, { client, env: sandboxEnvironment })
      expect(ran.out).toMatch(/^HTTP 200\n(?:[a-z-]+: .*\n)+\n\{"usdPrice":1\}$/)
      expect(ran.out).toContain("x-request-id: r-1")
      expect(ran.out).not.toContain("session")
    }))

  it.live("prints the body of an error, and exits with the status of the error", () =>
    Effect.gen(function*() {
      const { client } = respondingWith(`{"message":"no such token"}`, 404)
      const ran = yield* quarry(["api", "tokenPrice", `address=${token}`], {
        client,
        env: sandboxEnvironment
      })
      expect(ran).toMatchObject({
        code: 3,
        out: `{"message":"no such token"}`,
        err: expect.stringMatching(/^error: /)
      })
    }))

  it.live("names no option that it does not have in the hint about a cursor", () =>
    Effect.gen(function*() {
      const argv = ["api", "walletTransfers", `address=${wallet}`, "cursor=from-nowhere", "--sandbox"]
      const { code, err } = yield* quarry(argv)
      expect(code).toBe(2)
      expect(err).toMatch(/^hint: .*omit the cursor/m)
      expect(err).not.toContain("--cursor")
    }))

  it.live("removes control characters on a terminal", () =>
    Effect.gen(function*() {
      const { client } = respondingWith(`{"usdPrice":1,"name":"\u009b31mred\u202e"}\n`)
      const argv = ["api", "tokenPrice", `address=${token}`]
      const ran = yield* quarry(argv, { client, env: sandboxEnvironment, terminal: 80 })
      expect(ran.out).toBe(`{"usdPrice":1,"name":"red"}\n`)
    }))

  it.live("does not print the API key if the response repeats it", () =>
    Effect.gen(function*() {
      const key = "canary-7Qd1xk.Vb_9"
      const env = { ...sandboxEnvironment, QUARRY_API_KEY: key }
      for (const status of [200, 401, 400]) {
        const { client } = respondingWith(`{"message":"${key}"}`, status, { "x-request-id": key })
        const ran = yield* quarry([
          "api",
          "walletChains",
          `address=${wallet}`,
          "-i",
          "-v"
        ], {
          client,
          env
        })
        expect(ran.out).toContain("<redacted>")
        expect(ran.out + ran.err).not.toContain(key.slice(0, 10))
      }
    }))

  it.live("rejects unknown operations and parameters with a suggestion, and invalid values", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [string, RegExp]> = [
        ["walletTransfer", /did you mean walletTransfers\?/],
        [`walletTransfers adress=${wallet}`, /did you mean address\?/],
        [`walletTransfers address=${wallet} whatsoever=1`, /parameters: address, chain/],
        [`walletTransfers address=${wallet} chain`, /expected key=value, got "chain"/],
        [`walletTransfers address=${wallet} limit=many`, /limit: /],
        ["walletTransfers", /address: .*\n.*parameters of walletTransfers: address \[chain\]/],
        [`updateStreamStatus id=${stream} status=gone`, /status: /]
      ]
      for (const [line, message] of cases) {
        const ran = yield* quarry(["api", ...line.split(" "), "--sandbox"])
        expect([line, ran.code, ran.out]).toEqual([line, 2, ""])
        expect(ran.err).toMatch(message)
      }
    }))
})
