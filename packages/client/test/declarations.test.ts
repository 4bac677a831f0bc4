/** The published declarations: without types of Effect, and as plain as what an editor shows of them. */
import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { compile, hovers, install } from "./support/Declarations.ts"

let folder = ""
let files = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blockquarry-declarations-"))
  files = await install(folder)
})

afterAll(() => rm(folder, { recursive: true }))

it("import no other package", async () => {
  const seen = new Set<string>()
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return
    seen.add(file)
    const text = (await readFile(file, "utf8")).replace(/\/\*[^]*?\*\//g, "")
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      expect(specifier).toMatch(/^\.\/[A-Z]\w*\.ts$/)
      await visit(join(dirname(file), specifier.replace(/\.ts$/, ".d.ts")))
    }
    expect(text).not.toMatch(/\b(?:Effect|Stream|Layer|Schema|Redacted)\./)
  }
  await visit(join(files, "index.d.ts"))
  await visit(join(files, "sandbox.d.ts"))
  expect(seen.size).toBeGreaterThan(6)
})

it("compile in a project without Effect", async () => {
  expect(await compile(folder, program)).toBe("")
})

it("are not written without a part of a type of another package", async () => {
  const from = join(folder, "overloads")
  await mkdir(join(from, "internal"), { recursive: true })
  const overloads = "export interface Foreign { readonly read: { (a: string): void; (a: number): void } }"
  await writeFile(join(from, "internal/Foreign.d.ts"), overloads)
  const index = "import type { Foreign } from \"./internal/Foreign.ts\"\nexport declare const own: Foreign"
  await writeFile(join(from, "index.d.ts"), index)
  await writeFile(join(from, "sandbox.d.ts"), "export {}")
  const script = fileURLToPath(new URL("../declarations.mjs", import.meta.url))
  const { stderr } = spawnSync(process.execPath, [script, from, join(folder, "out")], { encoding: "utf8" })
  expect(stderr).toContain(
    "declarations.mjs cannot write overloads of { (a: string): void; (a: number): void; }"
  )
})

/** What an editor shows for expressions of a program. A new expression is a new line in the record. */
const record = fileURLToPath(new URL("records/hovers.txt", import.meta.url))

it("are plain in an editor", async () => {
  const shown = [...(await readFile(record, "utf8")).matchAll(/^\$ (.*)$/gm)].map(([, expression = ""]) =>
    expression
  )
  const texts = hovers(folder, program, shown).map((text, index) => `$ ${shown[index]}\n${text}\n`)
  await expect(texts.join("\n")).toMatchFileSnapshot(record)
})

/** Compiles, and has the expressions of the record. */
const program = `
import {
  type CallError, type Client, createClient, encode, isClientError, NotFoundError, type StandardSchema, TokenPrice
} from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"

const sandbox = createSandbox({ seed: 1 })
sandbox.examples.wallet
sandbox.queueFaults({ kind: "hang", "retry-after": "1" })
const client = createClient({
  apiKey: "",
  baseUrl: "",
  retry: { attempts: 2, baseDelay: { transient: "1 second" } },
  rateLimit: { limit: 25, window: "1 second", cost: { tokenPrice: 1 }, dailyQuota: 5 }
})

const closing: Client & AsyncDisposable = client

const price = await client.tokenPrice({ address: "0x", include: "percent_change" }, { cacheMode: "reload" })
price.nativePrice
price.nativePrice?.value
const json: { readonly usdPrice: number } = encode(price)
price.exchangeAddress
price["24hrPercentChange"]
TokenPrice.decode({})
TokenPrice.example({ usdPrice: 1 })

const page = await client.contractNfts({ address: "0x" })
page.cursor
page.status
page.result
const [nft] = page.result
nft?.last_sale
nft?.token_id

const input = { address: "0x", chain: "eth", contract_addresses: [], from_block: 1, order: "ASC" } as const
for await (const transfer of client.walletTransfers.items(input, { maxItems: 250, onPage: () => {} })) {
  transfer.value
  transfer.block_timestamp
}
await client.walletTransfers({ address: "0x", from_date: new Date() })
const { active_chains } = await client.walletChains({ address: "0x", chains: ["eth"] })
active_chains[0]?.chain
const [selected] = active_chains
selected?.first_transaction

const transaction = await client.ledgerTransaction({ txn_hash: "0x" })
if (transaction.type === "user_transaction") transaction.timestamp
if (transaction.type === "user_transaction") transaction.payload
const stream = await client.updateStreamStatus({ id: "", status: "active" })
stream.status
stream.getNativeBalances

declare const output: StandardSchema<{ readonly total: bigint }>
const own = await client.request({ path: "/wallets/0x/net-worth", query: { chain: "eth" }, output })
const document = await client.request({ path: "/wallets/0x/net-worth", method: "POST" })
client.request.items({ path: "/approvals" })

const print = (error: unknown, failure: CallError) => {
  if (error instanceof NotFoundError) error.status.toFixed()
  if (!isClientError(error)) return
  error.hint
  if (error.name === "RateLimitError") return [error.retryAfter, error.response]
  if (error.name === "NotFoundError") return [error.serverMessage, error.request, error.request.path]
  if (error.name === "LocalLimitError") return error.limit
  if (error.name === "NetworkError") return error.setting
  return failure
}
`
