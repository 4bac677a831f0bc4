/**
 * Recorded response bodies of other projects, in the folder `QUARRY_PAYLOADS` with an `index.json`. Each body is decoded,
 * or the rejected values are known placeholders of API reference pages.
 */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { dataOperations, ledgerOperations, streamsOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const folder = process.env["QUARRY_PAYLOADS"]

const operations: Readonly<Record<string, AnyOperation>> = {
  "wallet-erc20-transfers": dataOperations.walletTransfers,
  "token-erc20-transfers": dataOperations.tokenTransfers,
  "contract-nfts": dataOperations.contractNfts,
  "nft-owners": dataOperations.nftOwners,
  "wallet-nft-trades": dataOperations.walletNftTrades,
  "token-owners": dataOperations.tokenOwners,
  "nft-metadata": dataOperations.nftMetadata,
  "token-price": dataOperations.tokenPrice,
  "wallet-chains": dataOperations.walletChains,
  "stream-status": streamsOperations.updateStreamStatus,
  "ledger-transaction": ledgerOperations.ledgerTransaction
}

const Index = Schema.parseJson(
  Schema.Array(Schema.Struct({ op: Schema.String, file: Schema.String, status: Schema.Int }))
)

const document = (root: string, file: string): LosslessJson.JsonValue =>
  Either.getOrThrow(LosslessJson.parse(readFileSync(join(root, file), "utf8")))

/** The paths and values that are rejected in a body. */
const rejectedValues = (
  operation: AnyOperation,
  body: LosslessJson.JsonValue
): ReadonlyArray<readonly [string, unknown]> => {
  if (operation.isNotFound(() => body)) return []
  const decoded = Schema.decodeUnknownEither(operation.output, { errors: "all" })(body)
  if (Either.isRight(decoded)) return []
  const paths = ParseResult.ArrayFormatter.formatErrorSync(decoded.left).map(({ path }) => path)
  const innermost = paths.filter((path) =>
    !paths.some((other) => other.length > path.length && path.every((key, index) => key === other[index]))
  )
  return [...new Map(innermost.map((path) => [path.join("."), at(body, path)]))]
}

const at = (body: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => new Map(Object.entries(Object(value))).get(String(key)), body)

/** Whether a value is a placeholder of an API reference page. */
const isPlaceholder = (path: string, value: unknown): boolean => {
  if (typeof value === "string") {
    return value === "string" || value.startsWith("YOUR_") || value.endsWith("_example") ||
      value.endsWith("...") || (path.endsWith("_hash") && /^0x[0-9a-f]{40}$/i.test(value))
  }
  return path === "status" && JSON.stringify(value) === "{}"
}

const bodies = (root: string) =>
  Schema.decodeSync(Index)(readFileSync(join(root, "index.json"), "utf8"))
    .filter(({ status }) => status === 200)
    .map(({ file, op }) => {
      const operation = operations[op]
      const rejected = operation && rejectedValues(operation, document(root, file))
      const listed = rejected?.map(([path, value]) => `${path} = ${JSON.stringify(value)}`).join(", ")
      const outcome = rejected === undefined
        ? `has no operation (${op})`
        : listed === ""
        ? "is decoded"
        : `is decoded except ${listed}`
      return [file, outcome, rejected] as const
    })

if (folder === undefined) {
  it("recorded bodies are decoded", ({ skip }) => {
    skip("QUARRY_PAYLOADS is not set")
  })
} else {
  const all = bodies(folder)

  describe("a recorded body", () => {
    it.each(all)("%s %s", (_file, _outcome, rejected) => {
      expect(rejected).toBeDefined()
      expect(rejected?.filter(([path, value]) => !isPlaceholder(path, value))).toEqual([])
    })

    it("exists for every operation", () => {
      expect(new Set(all.map(([file]) => file.split("/")[0]))).toEqual(new Set(Object.keys(operations)))
    })
  })
}
