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
const whole = { normalizeMetadata: true, media_items: true }

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
    dataUrl(`/nft/${collection721}`, whole),
    dataUrl(`/nft/${collection1155}`, { ...whole, format: "hex" })
  ],
  nftOwners: [
    dataUrl(`/nft/${collection721}/${tokenId721}/owners`, whole),
    dataUrl(`/nft/${collection1155}/${tokenId1155}/owners`, { format: "hex" })
  ],
  walletNftTrades: [dataUrl(`/wallets/${wallet}/nfts/trades`)],
  tokenOwners: [dataUrl(`/erc20/${token}/owners`), dataUrl(`/erc20/${examples.unpricedToken}/owners`)],
  nftMetadata: [
    dataUrl(`/nft/${collection721}/${tokenId721}`, whole),
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

describe("answers", () => {
  it("has a file and an answer for each operation", () => {
    const files = readdirSync(fileURLToPath(new URL("../../src/service/operations", import.meta.url)))
    for (const { id } of allOperations) {
      expect(files).toContain(`${id}.ts`)
      expect(operationHandlers.map((answer) => answer.id)).toContain(id)
    }
    expect(files).toHaveLength(allOperations.length)
  })

  for (const operation of allOperations) {
    it.effect(`${operation.id} answers in a shape that decodes`, () =>
      Effect.gen(function*() {
        const sandbox = yield* makeSandbox()
        for (const url of requests[operation.id]!) {
          const asked = yield* send(sandbox, url, {
            method: operation.method,
            body: operation.method === "POST" ? `{"status":"paused"}` : ""
          })
          expect(asked.text).not.toContain("undefined")
          expect({ url, status: asked.status }).toEqual({ url, status: 200 })
          const decoded = Schema.decodeUnknownEither(Schema.make<unknown>(operation.output.ast))(
            Either.getOrThrow(parse(asked.text))
          )
          expect(Either.isRight(decoded) || decoded.left.message).toBe(true)
          const [seen] = (yield* sandbox.recordedRequests).slice(-1)
          expect(seen?.operation).toBe(operation.id)
        }
      }))
  }
})
