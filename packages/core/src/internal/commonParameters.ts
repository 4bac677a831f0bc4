/** Parameters that several operations have in common. */
import { BooleanLike } from "../BooleanLike.ts"
import { EvmChain } from "../Chain.ts"
import { optional, passthrough, withDescription } from "../InputSchema.ts"
import { PositiveInteger } from "../Integer.ts"
import { WellFormedText } from "../WellFormedText.ts"
import { leaf } from "./leaf.ts"
import { oneOf } from "./oneOf.ts"

const orders: ReadonlyMap<unknown, "ASC" | "DESC"> = new Map([["ASC", "ASC"], ["DESC", "DESC"]])

/** `ASC` or `DESC`, read in any case. */
export const Order = leaf<"ASC" | "DESC", "ASC" | "DESC">({
  identifier: "Order",
  expected: "ASC or DESC",
  is: (input): input is "ASC" | "DESC" => input === "ASC" || input === "DESC",
  decode: (input) => orders.get(typeof input === "string" ? input.toUpperCase() : input),
  encode: (order) => order,
  arbitrary: (fc) => fc.constantFrom("ASC", "DESC"),
  jsonSchema: { type: "string", enum: ["ASC", "DESC"] }
})

/** The format of a token id, where the specification lists the values. */
export const TokenIdFormat = oneOf("TokenIdFormat", "decimal", "hex")

export const chain = optional(withDescription(EvmChain, "chain to query, by name or hexadecimal id"))
export const limit = optional(withDescription(PositiveInteger, "desired page size"))
export const cursor = optional(
  withDescription(WellFormedText, "cursor of the previous page, to get the next one")
)
export const order = optional(withDescription(Order, "order by block number"))
export const normalizeMetadata = optional(
  withDescription(BooleanLike, "add the metadata in one common shape")
)
export const media_items = optional(withDescription(BooleanLike, "add preview media"))

/** Where the values of `format` are not listed, any text is passed on. */
export const passthroughFormat = optional(
  withDescription(passthrough(WellFormedText), "format of the token id").annotations({
    jsonSchema: { type: "string", examples: ["decimal", "hex"] }
  })
)
