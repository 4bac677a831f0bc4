/**
 * Price of an ERC20 token.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { PriceChain } from "../Chain.ts"
import { inputSchema, optional, withDescription } from "../InputSchema.ts"
import { Integer } from "../Integer.ts"
import { oneOf } from "../internal/oneOf.ts"
import { TokenPrice } from "../model/TokenPrice.ts"
import { get } from "../Operation.ts"
import { ttlByToBlock } from "../Ttl.ts"
import { WellFormedText } from "../WellFormedText.ts"

/** Known names of exchanges; any other name, and an exchange's address, is passed on. */
const exchanges = [
  "uniswapv2",
  "uniswapv3",
  "sushiswapv2",
  "pancakeswapv1",
  "pancakeswapv2",
  "pancakeswapv3",
  "quickswap",
  "quickswapv2",
  "traderjoe",
  "pangolin",
  "spookyswap",
  "vvs",
  "mm finance",
  "crodex",
  "camelotv2"
]

const Exchange = withDescription(WellFormedText, "factory name or address of the exchange").annotations({
  jsonSchema: { type: "string", minLength: 1, examples: exchanges }
})

const fields = {
  address: withDescription(Address, "token contract"),
  chain: optional(withDescription(PriceChain, "chain to query, by name or hexadecimal id")),
  include: optional(
    withDescription(oneOf("PercentChange", "percent_change"), "percent_change adds the change over 24 hours")
  ),
  exchange: optional(Exchange),
  to_block: optional(withDescription(Integer, "block at which the price is read"))
}

/**
 * @since 0.1.0
 * @category models
 */
export interface TokenPriceInput extends Schema.Struct.Encoded<typeof fields> {}

/**
 * Price of an ERC20 token.
 *
 * @since 0.1.0
 * @category operations
 */
export const tokenPrice = get({
  id: "tokenPrice",
  api: "data",
  path: "/erc20/:address/price",
  input: inputSchema(fields),
  output: TokenPrice,
  ttl: ttlByToBlock,
  cost: 3,
  docs: { summary: "Price of an ERC20 token in US dollars and in the chain's native token" }
})
