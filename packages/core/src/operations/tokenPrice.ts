/** The operation `tokenPrice`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { priceChains, withKnownChains } from "../Chain.ts"
import type { TokenPriceInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { Integer } from "../Integer.ts"
import { oneOf } from "../internal/scalar.ts"
import { TokenPrice } from "../model/TokenPrice.ts"
import { get } from "../Operation.ts"
import { ttlByToBlock } from "../Ttl.ts"
import { WellFormedText } from "../WellFormedText.ts"

/** Known exchange names. Other names and factory addresses are valid too. */
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

const Exchange = withDescription(WellFormedText, "Exchange name or factory address").annotations({
  jsonSchema: { type: "string", minLength: 1, examples: exchanges }
})

const fields = {
  address: withDescription(Address, "Address of the token contract"),
  chain: optional(withDescription(withKnownChains(priceChains), "Chain name or hexadecimal chain ID")),
  include: optional(
    withDescription(
      oneOf("PercentChange", "percent_change"),
      "percent_change includes the 24-hour price change"
    )
  ),
  exchange: optional(Exchange),
  to_block: optional(withDescription(Integer, "Block at which the price is evaluated"))
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, TokenPriceInput> = inputSchema(fields)

/** Returns the price of an ERC20 token. */
export const tokenPrice = get({
  id: "tokenPrice",
  api: "data",
  path: "/erc20/:address/price",
  input,
  output: TokenPrice,
  ttl: ttlByToBlock,
  cost: 3,
  price: 50,
  docs: {
    group: "Tokens",
    summary: "Get the price of an ERC20 token in US dollars and in the chain's native token"
  },
  example: ({ token }): TokenPriceInput => ({ address: token, chain: "eth", include: "percent_change" })
})
