/** Parameters that several operations have in common. */
import { ChainA } from "../Chain.ts"
import { Flag } from "../Flag.ts"
import { described, open, optional } from "../Input.ts"
import { PositiveInteger } from "../Integer.ts"
import { Text } from "../Text.ts"
import { leaf } from "./leaf.ts"
import { oneOf } from "./oneOf.ts"

const orders: ReadonlyMap<unknown, "ASC" | "DESC"> = new Map([["ASC", "ASC"], ["DESC", "DESC"]])

/** `ASC` or `DESC`, read in any case. */
export const Order = leaf<"ASC" | "DESC", "ASC" | "DESC">({
  identifier: "Order",
  expected: "ASC or DESC",
  is: (input): input is "ASC" | "DESC" => input === "ASC" || input === "DESC",
  read: (input) => orders.get(typeof input === "string" ? input.toUpperCase() : input),
  write: (order) => order,
  arbitrary: (fc) => fc.constantFrom("ASC", "DESC"),
  jsonSchema: { type: "string", enum: ["ASC", "DESC"] }
})

/** The format of a token id, where the specification lists the values. */
export const TokenIdFormat = oneOf("TokenIdFormat", "decimal", "hex")

export const chain = optional(described(ChainA, "chain to query, by name or hexadecimal id"))
export const limit = optional(described(PositiveInteger, "desired page size"))
export const cursor = optional(described(Text, "cursor of the previous page, to get the next one"))
export const order = optional(described(Order, "order by block number"))
export const normalizeMetadata = optional(described(Flag, "add the metadata in one common shape"))
export const media_items = optional(described(Flag, "add preview media"))

/** Where the values of `format` are not listed, any text is passed on. */
export const anyFormat = optional(
  described(open(Text), "format of the token id").annotations({
    jsonSchema: { type: "string", examples: ["decimal", "hex"] }
  })
)
