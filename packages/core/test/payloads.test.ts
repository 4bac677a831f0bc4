/**
 * Answers that nobody here wrote: bodies in a folder that `QUARRY_PAYLOADS` names, with an `index.json` that lists
 * them. A body is read, or what is refused of it is a known placeholder of a reference page.
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

/** Where a body is refused, and what stands there. */
const refusals = (
  operation: AnyOperation,
  body: LosslessJson.JsonValue
): ReadonlyArray<readonly [string, unknown]> => {
  if (operation.isNotFound(body)) return []
  const read = Schema.decodeUnknownEither(operation.output, { errors: "all" })(body)
  if (Either.isRight(read)) return []
  const paths = ParseResult.ArrayFormatter.formatErrorSync(read.left).map(({ path }) => path)
  const innermost = paths.filter((path) =>
    !paths.some((other) => other.length > path.length && path.every((step, index) => step === other[index]))
  )
  return [...new Map(innermost.map((path) => [path.join("."), at(body, path)]))]
}

const at = (body: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, step) => new Map(Object.entries(Object(value))).get(String(step)), body)

/** What reference pages print where a value belongs. */
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
      const refused = operation && refusals(operation, document(root, file))
      const places = refused?.map(([path, value]) => `${path} = ${JSON.stringify(value)}`).join(", ")
      const outcome = refused === undefined
        ? `belongs to no operation (${op})`
        : places === ""
        ? "is read"
        : `is refused for ${places}`
      return [file, outcome, refused] as const
    })

if (folder === undefined) {
  it("bodies of other hands are read", ({ skip }) => {
    skip("QUARRY_PAYLOADS names no folder of bodies")
  })
} else {
  const all = bodies(folder)

  describe("a body of other hands", () => {
    it.each(all)("%s %s", (_file, _outcome, refused) => {
      expect(refused).toBeDefined()
      expect(refused?.filter(([path, value]) => !isPlaceholder(path, value))).toEqual([])
    })

    it("is tried for every operation", () => {
      expect(new Set(all.map(([file]) => file.split("/")[0]))).toEqual(new Set(Object.keys(operations)))
    })
  })
}
