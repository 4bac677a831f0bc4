import { parse } from "@blockquarry/core/LosslessJson"
import { all } from "@blockquarry/core/operations/index"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { answers } from "../../src/Service/answers/index.ts"
import { ask, data, examples, make } from "./support.ts"

const { collection1155, collection721, stream, token, tokenId1155, tokenId721, transaction, wallet } =
  examples
const whole = { normalizeMetadata: true, media_items: true }

/** Requests for each operation. */
const requests: Readonly<Record<string, ReadonlyArray<string>>> = {
  walletTransfers: [
    data(`/${wallet}/erc20/transfers`),
    data(`/${wallet}/erc20/transfers`, { "contract_addresses[]": token, order: "asc", limit: 3 })
  ],
  tokenTransfers: [
    data(`/erc20/${token}/transfers`),
    data(`/erc20/${examples.unpricedToken}/transfers`),
    data(`/erc20/${examples.spamToken}/transfers`)
  ],
  contractNfts: [
    data(`/nft/${collection721}`, whole),
    data(`/nft/${collection1155}`, { ...whole, format: "hex" })
  ],
  nftOwners: [
    data(`/nft/${collection721}/${tokenId721}/owners`, whole),
    data(`/nft/${collection1155}/${tokenId1155}/owners`, { format: "hex" })
  ],
  walletNftTrades: [data(`/wallets/${wallet}/nfts/trades`)],
  tokenOwners: [data(`/erc20/${token}/owners`), data(`/erc20/${examples.unpricedToken}/owners`)],
  nftMetadata: [
    data(`/nft/${collection721}/${tokenId721}`, whole),
    data(`/nft/${collection1155}/0x${tokenId1155.toString(16)}`, { format: "hex" })
  ],
  tokenPrice: [data(`/erc20/${token}/price`, { include: "percent_change" })],
  walletChains: [data(`/wallets/${wallet}/chains`)],
  updateStreamStatus: [`/streams/evm/${stream}/status`],
  ledgerTransaction: [
    `/transactions/by_hash/${transaction}`,
    `/v1/transactions/by_hash/${examples.pendingTransaction}`
  ]
}

describe("answers", () => {
  it("has a file and an answer for each operation", () => {
    const files = readdirSync(fileURLToPath(new URL("../../src/Service/answers", import.meta.url)))
    for (const { id } of all) {
      expect(files).toContain(`${id}.ts`)
      expect(answers.map((answer) => answer.id)).toContain(id)
    }
    expect(files).toHaveLength(all.length + 1)
  })

  for (const operation of all) {
    it.effect(`${operation.id} answers in a shape that decodes`, () =>
      Effect.gen(function*() {
        const sandbox = yield* make()
        for (const url of requests[operation.id]!) {
          const asked = yield* ask(sandbox, url, {
            method: operation.method,
            body: operation.method === "POST" ? `{"status":"paused"}` : ""
          })
          expect(asked.text).not.toContain("undefined")
          expect({ url, status: asked.status }).toEqual({ url, status: 200 })
          const decoded = Schema.decodeUnknownEither(Schema.make<unknown>(operation.output.ast))(
            Either.getOrThrow(parse(asked.text))
          )
          expect(Either.isRight(decoded) || decoded.left.message).toBe(true)
          const [seen] = (yield* sandbox.requests).slice(-1)
          expect(seen?.operation).toBe(operation.id)
        }
      }))
  }
})
