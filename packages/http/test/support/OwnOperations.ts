/** An API of two operations that are not built in, as a program describes them: a list by cursor, and a read by POST. */
import { Address } from "@blockquarry/core/Address"
import { Amount } from "@blockquarry/core/Amount"
import { Chain } from "@blockquarry/core/Chain"
import { inputSchema, inQuery, optional } from "@blockquarry/core/InputSchema"
import { Integer } from "@blockquarry/core/Integer"
import { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import { list, readByPost } from "@blockquarry/core/Operation"
import { page } from "@blockquarry/core/Page"
import { MaxAge } from "@blockquarry/core/Ttl"
import { WellFormedText } from "@blockquarry/core/WellFormedText"
import * as Api from "@blockquarry/http/Api"
import * as Schema from "effect/Schema"

export const walletTokens = list({
  id: "walletTokens",
  api: "data",
  path: "/wallets/:address/tokens",
  input: inputSchema({ address: Address, chain: optional(Chain), cursor: optional(WellFormedText) }),
  output: page(Schema.Struct({ symbol: Schema.String, balance: Amount })),
  ttl: () => MaxAge({ duration: "1 minute" }),
  cost: 2,
  docs: { summary: "List the tokens of a wallet" }
})

const erc20Prices = readByPost({
  id: "erc20Prices",
  api: "data",
  path: "/erc20/prices",
  input: inputSchema({
    chain: optional(inQuery(Chain)),
    tokens: Schema.NonEmptyArray(Schema.Struct({ token_address: Address, to_block: optional(Integer) }))
  }),
  output: Schema.Array(TokenPrice),
  cost: 2,
  docs: { summary: "Get the prices of several ERC20 tokens" }
})

export class TokensApi extends Api.Tag<TokensApi>()("my-app/TokensApi", {
  operations: { walletTokens, prices: erc20Prices }
}) {}
