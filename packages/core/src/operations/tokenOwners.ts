/**
 * The operation `tokenOwners`: lists the holders of an ERC20 token.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import {
  chain,
  type ChainParameter,
  cursor,
  limit,
  Order,
  type PageParameters
} from "../internal/commonParameters.ts"
import { TokenOwner } from "../model/TokenOwner.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  token_address: withDescription(Address, "Address of the token contract"),
  chain,
  limit,
  cursor,
  order: optional(withDescription(Order, "Sort order by balance"))
}

/**
 * The input of `tokenOwners`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersInput extends ChainParameter, PageParameters {
  /** Address of the token contract */
  readonly token_address: string
  /** Sort order by balance */
  readonly order?: "ASC" | "DESC" | undefined
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, TokenOwnersInput> = inputSchema(fields)

const page = Schema.Struct(pageFields(TokenOwner))

/**
 * A page of the holders of a token, with their balances. On chains other than eth the order is wrong.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `TokenOwnersPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenOwnersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<TokenOwnersPage, TokenOwnersPageEncoded> = page.annotations({
  identifier: "TokenOwnersPage"
})

/**
 * Lists the holders of an ERC20 token.
 *
 * @since 0.1.0
 * @category operations
 */
export const tokenOwners = list({
  id: "tokenOwners",
  api: "data",
  path: "/erc20/:token_address/owners",
  input,
  output,
  ttl: () => MaxAge({ duration: "5 seconds" }),
  cost: 5,
  docs: {
    summary: "List the holders of an ERC20 token",
    knownIssue: "On chains other than eth the upstream returns holders in the wrong order. " +
      "To find the largest holders, read the whole list and sort it."
  }
})
