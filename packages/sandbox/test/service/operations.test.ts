import { parse } from "@blockquarry/core/LosslessJson"
import { allOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { operationHandlers } from "../../src/service/OperationHandlers.ts"
import { dataUrl, examples, makeSandbox, send } from "./support.ts"

const { collection1155, collection721, stream, token, tokenId1155, tokenId721, transaction, wallet } =
  examples
const fullRecords = { normalizeMetadata: true, media_items: true }

/** Requests for each operation. */
const requests: Readonly<Record<string, ReadonlyArray<string>>> = {
  walletTransfers: [
    dataUrl(`/${wallet}/erc20/transfers`),
    dataUrl(`/${wallet}/erc20/transfers`, { "contract_addresses[]": token, order: "asc", limit: 3 })
  ],
  tokenTransfers: [
    dataUrl(`/erc20/${token}/transfers`),
    dataUrl(`/erc20/${examples.unpricedToken}/transfers`),
    dataUrl(`/erc20/${examples.spamToken}/transfers`)
  ],
  contractNfts: [
    dataUrl(`/nft/${collection721}`, fullRecords),
    dataUrl(`/nft/${collection1155}`, { ...fullRecords, format: "hex" })
  ],
  nftOwners: [
    dataUrl(`/nft/${collection721}/${tokenId721}/owners`, fullRecords),
    dataUrl(`/nft/${collection1155}/${tokenId1155}/owners`, { format: "hex" })
  ],
  walletNftTrades: [dataUrl(`/wallets/${wallet}/nfts/trades`)],
  tokenOwners: [dataUrl(`/erc20/${token}/owners`), dataUrl(`/erc20/${examples.unpricedToken}/owners`)],
  nftMetadata: [
    dataUrl(`/nft/${collection721}/${tokenId721}`, fullRecords),
    dataUrl(`/nft/${collection1155}/0x${tokenId1155.toString(16)}`, { format: "hex" })
  ],
  tokenPrice: [dataUrl(`/erc20/${token}/price`, { include: "percent_change" })],
  walletChains: [dataUrl(`/wallets/${wallet}/chains`)],
  updateStreamStatus: [`/streams/evm/${stream}/status`],
  ledgerTransaction: [
    `/transactions/by_hash/${transaction}`,
    `/v1/transactions/by_hash/${examples.pendingTransaction}`
  ]
}

describe("operation handlers", () => {
  it("exist for every operation, one per file", () => {
    const files = readdirSync(fileURLToPath(new URL("../../src/service/operations", import.meta.url)))
    for (const { id } of allOperations) {
      expect(files).toContain(`${id}.ts`)
      expect(operationHandlers.map((handler) => handler.id)).toContain(id)
    }
    expect(files).toHaveLength(allOperations.length)
  })

  for (const operation of allOperations) {
    it.effect(`of ${operation.id} return documents that the operation decodes`, () =>
      Effect.gen(function*() {
        const sandbox = yield* makeSandbox()
        for (const url of requests[operation.id]!) {
          const response = yield* send(sandbox, url, {
            method: operation.method,
            body: operation.method === "POST" ? `{"status":"paused"}` : ""
          })
          expect(response.text).not.toContain("undefined")
          expect({ url, status: response.status }).toEqual({ url, status: 200 })
          const decoded = Schema.decodeUnknownEither(Schema.make<unknown>(operation.output.ast))(
            Either.getOrThrow(parse(response.text))
          )
          expect(Either.isRight(decoded) || decoded.left.message).toBe(true)
          const [recorded] = (yield* sandbox.recordedRequests).slice(-1)
          expect(recorded?.operation).toBe(operation.id)
        }
      }))
  }
})
