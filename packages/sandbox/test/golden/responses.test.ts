/** Responses of a sandbox: records in every variant, pages, errors and faults. */
import type { Unreadable } from "@blockquarry/core/Decoder"
import { parse } from "@blockquarry/core/LosslessJson"
import { type AnyOperation, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { record } from "../../../core/test/golden/support/record.ts"
import * as Sandbox from "../../src/Sandbox.ts"
import { dataUrl, eth, examples, ledger, makeSandbox } from "../service/support.ts"

const { collection1155, collection721, emptyWallet, pendingTransaction, spamToken, stream } = examples
const { token, tokenId1155, transaction, unindexedCollection, unpricedToken, wallet } = examples
const unknown = `0x${"ab".repeat(20)}`
const full = { normalizeMetadata: true, media_items: true }
const chains = dataUrl(`/wallets/${wallet}/chains`)
const transfers = `/${wallet}/erc20/transfers`
const streamPath = `/streams/evm/${stream}/status`
const [testnetHash] = [...ledger.transactions.testnet.keys()].filter((hash) =>
  !ledger.transactions.mainnet.has(hash)
)

interface Sent {
  readonly method?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

const withKey = (key: string): Sent => ({ headers: { "x-api-key": key } })
const withFault = (fault: string): Sent => ({ headers: { [Sandbox.faultHeader]: fault } })
const post = (body: string): Sent => ({ method: "POST", body })

/** The request of the example of an operation. */
const exampleOf = (operation: AnyOperation): readonly [url: string, sent: Sent] => {
  const input: unknown = Either.getOrThrow(decodeInput(operation, operation.example?.(examples)))
  const { body, method, path, query } = encodeRequest(operation, input)
  const search = query.length === 0 ? "" : `?${formatQuery(query)}`
  return [`${pathPrefix[operation.api]}${path}${search}`, { method, ...(body === null ? {} : { body }) }]
}

const requests: ReadonlyArray<readonly [url: string, sent?: Sent]> = [
  ...allOperations.map(exampleOf),
  [dataUrl(transfers, { "contract_addresses[]": token, order: "asc", limit: 1 })],
  [dataUrl(transfers, { chain: "polygon", to_date: "2025-03-01", limit: 1 })],
  [dataUrl(`/${emptyWallet}/erc20/transfers`)],
  [dataUrl(`/erc20/${unpricedToken}/transfers`, { order: "ASC", limit: 1 })],
  [dataUrl(`/erc20/${spamToken}/transfers`, { limit: 1 })],
  [dataUrl(`/erc20/${unpricedToken}/owners`, { limit: 1 })],
  [dataUrl(`/erc20/${token}/price`)],
  [dataUrl(`/erc20/${token}/price`, { to_block: eth.head - 9000, include: "percent_change" })],
  [dataUrl(`/erc20/${token}/price`, { to_block: 1 })],
  [dataUrl(`/erc20/${token}/price`, { exchange: "bazaar" })],
  [dataUrl(`/erc20/${unpricedToken}/price`)],
  [dataUrl(`/erc20/${eth.wrappedNative}/price`)],
  [dataUrl(`/nft/${collection721}`, { ...full, limit: 2 })],
  [dataUrl(`/nft/${collection721}`, { totalRanges: 3, range: 0 })],
  [dataUrl(`/nft/${collection721}`, { totalRanges: 3, range: 4 })],
  [dataUrl(`/nft/${collection721}`, { range: 1 })],
  [dataUrl(`/nft/${collection721}/999999999999`)],
  [dataUrl(`/nft/${collection1155}/0x${tokenId1155.toString(16)}`, { ...full, format: "hex" })],
  [dataUrl(`/nft/${collection1155}/${tokenId1155}/owners`, { format: "hex", limit: 1 })],
  [dataUrl(`/nft/${unindexedCollection}`, { limit: 2 })],
  [dataUrl(`/nft/${unindexedCollection}`, { limit: 2 })],
  [dataUrl(`/nft/${unindexedCollection}`, { limit: 2 })],
  [dataUrl(`/wallets/${wallet}/nfts/trades`, { from_date: 1_700_000_000, limit: 1 })],
  [`${chains}?chains[0]=0x1&chains[1]=palm`],
  [dataUrl(`/wallets/${emptyWallet}/chains`)],
  [`/v1/transactions/by_hash/${pendingTransaction}`],
  [`/testnet/transactions/by_hash/${testnetHash}`],
  [`/testnet/v1/transactions/by_hash/${testnetHash}`],
  [`/transactions/by_hash/${testnetHash}?network=testnet`],
  // Errors
  [dataUrl("/0x12/erc20/transfers", { limit: -1 })],
  [dataUrl(transfers, { chain: "bitcoin" })],
  [dataUrl(transfers, { order: "up" })],
  [dataUrl(transfers, { from_block: 9, to_block: 3 })],
  [dataUrl(transfers, { cursor: "nonsense" })],
  [dataUrl(`/wallets/${wallet}/nfts/trades`, { chain: "sepolia" })],
  [`${chains}?chains[]=mars`],
  [dataUrl(`/nft/${token}/abc`)],
  [dataUrl(`/nft/${token}/1`, { format: "octal" })],
  [dataUrl(`/nft/${token}/1/owners`, { format: "octal" })],
  ...[`/erc20/${unknown}/price`, `/erc20/${unknown}/owners`, `/nft/${unknown}/1`, `/nft/${unknown}`]
    .map((path) => [dataUrl(path)] as const),
  [`/transactions/by_hash/${testnetHash}`],
  [`/transactions/by_hash/0x12`],
  [streamPath, post(`{"status":"sleeping"}`)],
  [streamPath, post("")],
  [streamPath, post("{")],
  ["/streams/evm/none/status", post(`{"status":"paused"}`)],
  ["/"],
  ["/api/v2/x/erc20/transfers"],
  ["/testnet/streams/evm/1/status"],
  [chains, post("{}")],
  [streamPath],
  ...["", "guess", Sandbox.revokedApiKey, Sandbox.exhaustedApiKey].map((key) =>
    [chains, withKey(key)] as const
  ),
  [`/transactions/by_hash/${transaction}`, withKey("guess")],
  // Faults
  ...["status=503; retry-after=2", "status=429", "status=418", "status=204", "redirect=http://other.invalid/"]
    .map((fault) => [chains, withFault(fault)] as const),
  ...[
    "reset",
    "reset-body",
    "truncate",
    "gzip-truncated",
    "stall",
    "bad-json",
    "html",
    "empty",
    "null",
    "bom"
  ]
    .map((fault) => [dataUrl(`/wallets/${emptyWallet}/chains`), withFault(fault)] as const),
  ...["explode", "status", "status=99", "delay=-1", "reset;html", "status=500;status=501"]
    .map((fault) => [chains, withFault(fault)] as const)
]

/** Whether every field can be read. */
const isDecoded = ({ decode, isNotFound }: AnyOperation, document: unknown): boolean => {
  const unreadable: Unreadable = []
  return isNotFound(() => document) || Either.isRight(decode(document, unreadable)) && unreadable.length === 0
}

it.effect("responses are as recorded, and the operations decode them", () =>
  Effect.gen(function*() {
    const sandbox = yield* makeSandbox()
    const responses: Array<unknown> = []
    for (const [url, sent = {}] of requests) {
      const method = sent.method ?? "GET"
      const headers: Record<string, string> = { "x-api-key": Sandbox.apiKey, ...sent.headers }
      const received = { method, url, headers, body: sent.body ?? "" }
      const { body, ...response } = yield* sandbox.handle(received)
      const document = Either.getOrElse(parse(body), () => body)
      const inputs = { request: `${method} ${url}`, body: sent.body, with: sent.headers }
      responses.push({ ...inputs, ...response, document })
      const [recorded] = (yield* sandbox.recordedRequests).slice(-1)
      const operation: AnyOperation | undefined = allOperations.find(({ id }) => id === recorded?.operation)
      if (response.status !== 200 || headers[Sandbox.faultHeader] !== undefined) continue
      expect([url, operation !== undefined && isDecoded(operation, document)]).toEqual([url, true])
    }
    yield* Effect.promise(() => record("responses", responses, 1))
  }))
