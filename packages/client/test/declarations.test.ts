/** The published declarations: without types of Effect, and as plain as what an editor shows of them. */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { compile, compilers, hovers, install } from "./support/Declarations.ts"

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

it.each(compilers)("compile in a project without Effect: %s", async (compiler) => {
  expect(await compile(folder, compiler, userProgram)).toBe("")
})

const userProgram = `
import { type Client, createClient, encode, isClientError, NotFoundError, TokenPrice } from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"

const { apiKey, baseUrl, examples, fetch } = createSandbox()
const client: Client & AsyncDisposable = createClient({ apiKey, baseUrl, fetch, retry: { attempts: 2 } })
const price: TokenPrice = await client.tokenPrice({ address: examples.token, chain: "eth" })
const value: bigint | null | undefined = price.nativePrice?.value
const json: { readonly usdPrice: number } = encode(price)
for await (const { block_timestamp } of client.walletTransfers.items({ address: examples.wallet }, { maxItems: 2 })) {
  const time: number | undefined = block_timestamp?.getTime()
}
try {
  await client.walletChains({ address: "0x" })
} catch (error) {
  if (error instanceof NotFoundError) error.status.toFixed()
  if (isClientError(error) && error.name === "RateLimitError") error.retryAfter?.toFixed()
}
await client.close()
export { json, value }
`

it("are plain in an editor", () => {
  expect(
    hovers(folder, shownProgram, shown).map((text, index) => `${shown[index]}\n${text}`).join("\n\n")
  ).toMatchInlineSnapshot(`
    "sandbox.examples
    (property) Sandbox.examples: SandboxExamples

    sandbox.examples.wallet
    (property) SandboxExamples.wallet: \`0x\${string}\`
    // Active on many chains, trades NFTs, and has blocks with more than 150 of its transfers.

    { kind
    (property) Fault.kind?: "hang" | "reset" | "reset-body" | "truncate" | "gzip-truncated" | "stall" | "bad-json" | "html" | "empty" | "null" | "bom" | "repeat-cursor" | "empty-page" | undefined
    // A change of the response. The operation is applied before.

    - \`reset\`, \`reset-body\`: resets the connection before the headers, or in the middle of the body.
    - \`truncate\`: sends less than \`content-length\`. \`gzip-truncated\`: truncates the compressed body.
    - \`hang\`, \`stall\`: sends nothing, or stops in the middle of the body.
    - \`bad-json\`: half of the document. \`html\`: an HTML page with status 200. \`empty\`: no body. \`null\`: the JSON value \`null\`.
    - \`bom\`: a byte order mark before the document.
    - \`repeat-cursor\`: a page with the cursor of the request. \`empty-page\`: a page without records, with a cursor for the records that it would have.

    { transient
    (property) transient?: Duration | undefined
    // After a failure that is usually temporary. Default: 200 ms.

    { limit
    (property) RateLimitOptions.limit: number
    // Units per \`window\`.

    cost
    (property) RateLimitOptions.cost?: number | Partial<Readonly<Record<OperationId, number>>> | undefined
    // Rate costs: units by operation, or one number for all operations. Default: the \`cost\` of each operation.

    dailyQuota
    (property) RateLimitOptions.dailyQuota?: number | null | undefined
    // Units of the price per UTC day and API key, at all base URLs together. An attempt beyond it fails with \`LocalLimitError\`. Default: null, no quota.

    const price
    const price: TokenPrice

    client.tokenPrice
    (property) Operations.tokenPrice: OperationFunction
    (input: TokenPriceInput, options?: CallOptions) => Promise<TokenPrice>
    // Gets the price of an ERC20 token in US dollars and in the chain's native token.

    cacheMode
    (property) CallOptions.cacheMode?: CacheMode | undefined

    price.nativePrice
    (property) TokenPrice.nativePrice: NativePrice | null
    // The price in the chain's native token.

    price.nativePrice?.value
    (property) NativePrice.value: bigint | null | undefined
    // In the native token's smallest unit.

    price["24hrPercentChange"
    (property) TokenPrice["24hrPercentChange"]: string | null
    // Returned with \`include: "percent_change"\`.

    TokenPrice.decode
    (property) Model<TokenPrice, TokenPrice>.decode: (json: unknown) => TokenPrice
    // Decodes a record: JSON that \`encode\` returned, or a record of a response of the API. Throws an \`InvalidRecordError\` if the value is not a record of this model.

    const page
    const page: CollectionPage<Nft>

    client.contractNfts
    (property) Operations.contractNfts: ListOperationFunction
    (input: ContractNftsInput, options?: CallOptions) => Promise<CollectionPage<Nft>>
    // Lists the NFTs of a contract, with metadata if available. The first request for a collection starts its indexing. Pages are incomplete until its status is SYNCED.

    page.cursor
    (property) Page<Nft>.cursor?: string | null | undefined

    page.status
    (property) CollectionPage<Nft>.status: OpenEnum<"SYNCING" | "SYNCED"> | null
    // \`SYNCING\` while the collection is being indexed. Null if the upstream does not return it.

    nft?.last_sale
    (property) Nft.last_sale: LastSale | null

    const transfer
    const transfer: Erc20Transfer

    client.walletTransfers.items
    (property) ListOperationFunction<WalletTransfersInput, Page<Erc20Transfer>, Erc20Transfer>.items: (input: WalletTransfersInput, options?: ListOptions) => AsyncIterable<Erc20Transfer>
    // Returns all records. The next page is requested when its records are needed.

    maxItems
    (property) PaginationOptions.maxItems?: number | undefined
    // Ends the list after this many records. A list of pages ends with the page that reaches it.

    onPage
    (property) PaginationOptions.onPage?: ((repeats: PageRepeats) => void) | undefined
    // Called with what each page has in common with the page before it, when it is fetched. What it throws ends the list.

    transfer.value
    (property) Erc20Transfer.value: bigint | null
    // In the token's smallest unit.

    from_date
    (property) from_date?: TimeInput | undefined
    // Earliest date; UTC if no time zone is given

    , chains
    (property) WalletChainsInput.chains?: readonly Chain[] | undefined
    // Limit the result to these chains, by name or hexadecimal chain ID

    active_chains[0]?.chain
    (property) ActiveChain.chain: OpenEnum<ChainName> | null

    const transaction
    const transaction: LedgerTransaction

    transaction.payload
    (property) UserTransaction.payload: TransactionPayload | null

    stream.status
    (property) StreamRecord.status: OpenEnum<"active" | "paused" | "error" | "terminated">

    stream.getNativeBalances
    (property) StreamRecord.getNativeBalances: readonly {
        readonly selectors: ReadonlyArray<string> | null;
        readonly type: string | null;
    }[] | null

    const own
    const own: NoInfer<{
        readonly total: bigint;
    }>

    method
    (property) ApiRequest.method?: Method | undefined
    // Default: \`GET\`.

    client.request.items
    (property) RequestFunction.items: <JsonPage>(request: TypedRequest<JsonPage>, options?: ListOptions) => AsyncIterable<JsonValue>
    // Returns all records. The next page is requested when its records are needed.

    failure
    (parameter) failure: CallError

    error.retryAfter
    (property) retryAfter: number | null
    // How long to wait before a retry, in milliseconds as a number. Null if unknown.

    error.response
    (property) response: ResponseSummary | null
    // The 429 response. Null if the request was not sent.

    error.serverMessage
    (property) ResponseSummary.serverMessage: string | null
    // The message in the body. Null if the body has none in a known place. At most 300 characters.

    error.limit
    (property) limit: "rate" | "concurrency" | "daily" | "unavailable" | "memory"

    error.setting
    (property) setting: string | null
    // The option or environment variable to check, as in \`baseUrl\`, \`apiKey.LABEL\` or \`QUARRY_API_KEY\`. Null if unknown."
  `)
})

const shownProgram = `
import {
  type CallError, createClient, isClientError, type StandardSchema, TokenPrice
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

const price = await client.tokenPrice({ address: "0x", include: "percent_change" }, { cacheMode: "reload" })
price.nativePrice
price.nativePrice?.value
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
const json = await client.request({ path: "/wallets/0x/net-worth", method: "POST" })
client.request.items({ path: "/approvals" })

const print = (error: unknown, failure: CallError) => {
  if (!isClientError(error)) return
  error.hint
  if (error.name === "RateLimitError") return [error.retryAfter, error.response]
  if (error.name === "NotFoundError") return [error.serverMessage, error.request, error.request.path]
  if (error.name === "LocalLimitError") return error.limit
  if (error.name === "NetworkError") return error.setting
  return failure
}
`

const shown = [
  "sandbox.examples",
  "sandbox.examples.wallet",
  "{ kind",
  "{ transient",
  "{ limit",
  "cost",
  "dailyQuota",
  "const price",
  "client.tokenPrice",
  "cacheMode",
  "price.nativePrice",
  "price.nativePrice?.value",
  "price[\"24hrPercentChange\"",
  "TokenPrice.decode",
  "const page",
  "client.contractNfts",
  "page.cursor",
  "page.status",
  "nft?.last_sale",
  "const transfer",
  "client.walletTransfers.items",
  "maxItems",
  "onPage",
  "transfer.value",
  "from_date",
  ", chains",
  "active_chains[0]?.chain",
  "const transaction",
  "transaction.payload",
  "stream.status",
  "stream.getNativeBalances",
  "const own",
  "method",
  "client.request.items",
  "failure",
  "error.retryAfter",
  "error.response",
  "error.serverMessage",
  "error.limit",
  "error.setting"
]
