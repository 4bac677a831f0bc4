/** Parameters of several operations. */
import { BooleanLike } from "../BooleanLike.ts"
import { Chain } from "../Chain.ts"
import { optional, passthrough, withDescription } from "../InputSchema.ts"
import { PositiveInteger } from "../Integer.ts"
import { WellFormedText } from "../WellFormedText.ts"
import { oneOf } from "./scalar.ts"

export const Order = oneOf("Order", "ASC", "DESC")

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
