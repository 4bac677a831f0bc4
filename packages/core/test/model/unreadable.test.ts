/** Fields that are empty or cannot be read. */
import * as Decoder from "@blockquarry/core/Decoder"
import { Integer } from "@blockquarry/core/Integer"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { describing } from "../../src/internal/nullable.ts"
import { codeGenerationModes } from "../support/codeGeneration.ts"
import { fixture } from "../support/fixture.ts"

const operations: ReadonlyMap<string, AnyOperation> = new Map(
  allOperations.map((operation: AnyOperation) => [operation.id, operation])
)

type Path = ReadonlyArray<string>

/** Members of unknown structure, in which an empty string is a value. */
const open = new Set(["normalized_metadata", "media", "components", "filter", "arguments", "cursor"])

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value !== "object" || value === null
    ? [path]
    : [
      path,
      ...Object.entries(value).flatMap(([key, member]) =>
        open.has(key) ? [] : pathsOf(member, [...path, key])
      )
    ]

const withValue = (document: unknown, [key, ...rest]: Path, value: unknown): unknown =>
  key === undefined
    ? value
    : Array.isArray(document)
    ? document.map((item, index) => String(index) === key ? withValue(item, rest, value) : item)
    : Predicate.isRecord(document)
    ? { ...document, [key]: withValue(document[key], rest, value) }
    : document

const at = (value: unknown, path: Path): unknown =>
  path.reduce(
    (inner, key) => Predicate.isRecord(inner) || Array.isArray(inner) ? Reflect.get(inner, key) : inner,
    value
  )

const decodeWith = (id: string, path: string, value: unknown) => {
  const operation = operations.get(id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  const unreadable: Decoder.Unreadable = []
  const decoded = Decoder.make(operation.output)(withValue(fixture(id), path.split("."), value), unreadable)
  return { decoded, paths: unreadable.map(({ field }) => field), unreadable }
}

const mismatchOf = (id: string, path: string, value: unknown) => {
  const { decoded, unreadable } = decodeWith(id, path, value)
  const mismatch = Either.isLeft(decoded) ? Decoder.mismatchOf(decoded.left) : unreadable[0]
  return `${mismatch?.path}: ${mismatch?.reason}`
}

describe.each([...operations.keys()])("%s", (id) => {
  it("reads an empty string as null, wherever null is valid", () => {
    const document = fixture(id)
    let checked = 0
    for (const path of pathsOf(document)) {
      const { decoded, paths } = decodeWith(id, path.join("."), null)
      if (
        path.length === 0 || Either.isLeft(decoded) || at(decoded.right, path) !== null || paths.length > 0
      ) continue
      checked++
      const empty = decodeWith(id, path.join("."), "")
      expect([path, empty.decoded, empty.paths]).toEqual([path, decoded, []])
    }
    expect(checked).toBeGreaterThan(1)
  })
})

describe.each(codeGenerationModes)("%s", (_, runIn) => {
  it.each([
    ["tokenPrice", "24hrPercentChange", "N/A", ["24hrPercentChange"]],
    ["tokenPrice", "nativePrice.value", "0.5", ["nativePrice"]],
    ["walletTransfers", "result.0.token_logo", { url: "" }, ["result[].token_logo"]],
    ["contractNfts", "result.0.last_sale.price", "0.5", ["result[].last_sale"]],
    ["contractNfts", "result.0.last_sale.current_usd_value", "-", ["result[].last_sale.current_usd_value"]],
    ["contractNfts", "result.0.last_sale", { current_usd_value: "-", token_id: "x" }, ["result[].last_sale"]],
    ["walletChains", "active_chains.0.first_transaction.transaction_hash", "0x", [
      "active_chains[].first_transaction"
    ]],
    ["updateStreamStatus", "triggers.type", 5, ["triggers[].type"]],
    ["ledgerTransaction", "payload.type_arguments", "u64", ["payload.type_arguments"]]
  ])("%s: %s = %j becomes null, and its path is reported", (id, path, value, reported) => {
    const { decoded, paths } = runIn(() => decodeWith(id, path, value))
    expect(Either.isRight(decoded)).toBe(true)
    expect(paths).toEqual(reported)
    const [field = ""] = reported
    expect(at(Either.getOrNull(decoded), field.replaceAll("[]", ".0").split("."))).toBeNull()
  })

  it("reports the fields of the member of a union that matches", () => {
    const member = (type: string) => Schema.Struct({ note: describing(Integer), type: Schema.Literal(type) })
    const unreadable: Decoder.Unreadable = []
    const decode = Decoder.make(Schema.Array(Schema.Union(member("a"), member("b"))))
    runIn(() => decode([{ note: 1, type: "b" }, { note: "-", type: "b" }], unreadable))
    expect(unreadable.map(({ field, path }) => [field, path])).toEqual([["[].note", "[1].note"]])
  })

  it.each([
    ["walletTransfers", "result.0.value", "0.5"],
    ["walletTransfers", "result.0.to_address", "n/a"],
    ["walletTransfers", "result.0.log_index", "first"],
    ["walletNftTrades", "result.0.price", "N/A"],
    ["tokenPrice", "usdPrice", "NaN"],
    ["tokenPrice", "toBlock", "9".repeat(30)],
    ["nftMetadata", "block_number", 2 ** 53],
    ["tokenOwners", "cursor", {}],
    ["nftOwners", "status", 5]
  ])("%s: %s = %j is a fact, and fails", (id, path, value) => {
    expect(Either.isLeft(runIn(() => decodeWith(id, path, value)).decoded)).toBe(true)
  })
})

it.each([
  ["walletTransfers", "result.0.value", "x", "expected an integer of at least 0 or null, got \"x\""],
  ["walletTransfers", "result.0.token_name", 5, "expected a string or null, got 5"],
  ["walletTransfers", "result.0.block_number", "x", "expected an integer of at least 0, got \"x\""],
  ["contractNfts", "result.0.contract_type", {}, "expected a string or null, got an object"],
  ["walletNftTrades", "result.0.token_ids", "1", "expected an array or null, got \"1\""],
  ["tokenOwners", "cursor", {}, "expected a cursor string or null, got an object"]
])("the message for %s: %s = %j names every valid type", (id, path, value, message) => {
  expect(mismatchOf(id, path, value)).toBe(`${path.replace(".0", "[0]")}: ${message}`)
})

it.each([
  ["walletNftTrades", "result.0.token_ids", ["1", "x"], "result[0].token_ids[1]"],
  ["contractNfts", "result.0.last_sale.price", "x", "result[0].last_sale.price"],
  [
    "updateStreamStatus",
    "triggers",
    [{}, { functionAbi: { inputs: [{}, { name: 5 }] } }],
    "triggers[1].functionAbi.inputs[1].name"
  ]
])("the message for %s: %s = %j has the path of the value inside of it", (id, path, value, inside) => {
  expect(mismatchOf(id, path, value)).toMatch(`${inside}: expected `)
})
