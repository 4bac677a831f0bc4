/** Amounts keep every digit and their format: the proxy forwards the bytes unchanged. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const hash = `0x${"ab".repeat(32)}`
const address = `0x${"cd".repeat(20)}`
const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
const id77 = "12345678901234567890123456789012345678901234567890123456789012345678901234567"

const numbers = ["9007199254740991", "9007199254740992", "9007199254740993", id77, largest]

const transfer = (value: string): string =>
  `{"transaction_hash":"${hash}","block_number":1,"token_decimals":"18","value":${value}}`
const nft = (number: string): string =>
  `{"token_address":"${address}","token_id":${number},"amount":${number},"last_sale":{"price":${number}}}`

/** Inserts a number into each amount field of a response. */
const bodies: ReadonlyArray<readonly [operation: string, bodyWith: (number: string) => string]> = [
  ["walletTransfers", (number) => `{"result":[${transfer(number)}]}`],
  ["tokenTransfers", (number) => `{ "cursor" : null,\n\t"result":[${transfer(number)}] }\n`],
  ["tokenOwners", (number) => `{"result":[{"owner_address":"${address}","balance":${number}}]}`],
  ["contractNfts", (number) => `{"result":[${nft(number)}]}`],
  ["nftOwners", (number) => `{"result":[${nft(number)}]}`],
  ["nftMetadata", nft],
  [
    "walletNftTrades",
    (number) =>
      `{"result":[{"transaction_hash":"${hash}","block_number":"1","price":${number},"token_ids":[${number}]}]}`
  ],
  ["tokenPrice", (number) => `{"usdPrice":1.0,"nativePrice":{"value":${number},"decimals":18}}`]
]

for (const [operation, bodyWith] of bodies) {
  describe(operation, () => {
    it.scopedLive("as JSON integers and as JSON strings", () =>
      Effect.gen(function*() {
        let body = ""
        const httpClient = HttpClient.make((request) =>
          Effect.sync(() =>
            HttpClientResponse.fromWeb(
              request,
              new Response(body, { headers: { "content-type": "application/json" } })
            )
          )
        )
        const { port } = yield* start({ httpClient })
        for (const number of [...numbers, ...numbers.map((digits) => `"${digits}"`)]) {
          body = bodyWith(number)
          const response = yield* sendRequest(port, sampleRequests[operation]?.path ?? operation)
          expect([response.status, response.text]).toEqual([200, body])
          expect(response.bytes.equals(Buffer.from(body))).toBe(true)
        }
      }))
  })
}
