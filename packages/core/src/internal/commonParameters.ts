/** Parameters of several operations. */
import { BooleanLike } from "../BooleanLike.ts"
import { Chain } from "../Chain.ts"
import { optional, passthrough, withDescription } from "../InputSchema.ts"
import { PositiveInteger } from "../Integer.ts"
import { WellFormedText } from "../WellFormedText.ts"
import { oneOf, scalar } from "./scalar.ts"

const orders: ReadonlyMap<unknown, SortOrder> = new Map([["ASC", "ASC"], ["DESC", "DESC"]])

type SortOrder = "ASC" | "DESC"

/** `ASC` or `DESC`, decoded in any case. */
export const Order = scalar<SortOrder, SortOrder>({
  identifier: "Order",
  expected: "ASC or DESC",
  is: (input): input is SortOrder => input === "ASC" || input === "DESC",
  decode: (input) => orders.get(typeof input === "string" ? input.toUpperCase() : input),
  encode: (order) => order,
  arbitrary: (fc) => fc.constantFrom("ASC", "DESC"),
  jsonSchema: { type: "string", enum: ["ASC", "DESC"] }
})

/** The format of token IDs, for operations that accept a closed set of values. */
export const TokenIdFormat = oneOf("TokenIdFormat", "decimal", "hex")

export const chain = optional(withDescription(Chain, "Chain name or hexadecimal chain ID"))
export const limit = optional(withDescription(PositiveInteger, "Maximum number of records per page"))
export const cursor = optional(
  withDescription(WellFormedText, "Cursor returned with the previous page")
)
export const order = optional(withDescription(Order, "Sort order by block number"))
export const normalizeMetadata = optional(
  withDescription(BooleanLike, "Include normalized metadata")
)
export const media_items = optional(withDescription(BooleanLike, "Include preview images"))

/** The format of token IDs, for operations that accept any value. */
export const passthroughFormat = optional(
  withDescription(passthrough(WellFormedText), "Format of token IDs in the response").annotations({
    jsonSchema: { type: "string", examples: ["decimal", "hex"] }
  })
)
