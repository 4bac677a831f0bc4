/**
 * Holders of an ERC20 token.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { inputSchema, optional, withDescription } from "../InputSchema.ts"
import { chain, cursor, limit, Order } from "../internal/commonParameters.ts"
import { TokenOwner } from "../model/TokenOwner.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  token_address: withDescription(Address, "token contract"),
  chain,
  limit,
  cursor,
  order: optional(withDescription(Order, "order by balance"))
}

/**
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersInput extends Schema.Struct.Encoded<typeof fields> {}

const page = Schema.Struct(pageFields(TokenOwner))

/**
 * Holders with their balances. Off eth their order is faulty.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<TokenOwnersPage, TokenOwnersPageEncoded> = page.annotations({
  identifier: "TokenOwnersPage"
})

/**
 * Holders of an ERC20 token.
 *
 * @since 0.1.0
 * @category operations
 */
export const tokenOwners = list({
  id: "tokenOwners",
  api: "data",
  path: "/erc20/:token_address/owners",
  input: inputSchema(fields),
  output,
  ttl: () => MaxAge({ duration: "5 seconds" }),
  cost: 5,
  docs: {
    summary: "Holders of an ERC20 token, largest first unless order says otherwise",
    knownIssue: "On every chain but eth the service returns holders in faulty order. " +
      "For the largest holders walk the whole list and keep the largest."
  }
})
