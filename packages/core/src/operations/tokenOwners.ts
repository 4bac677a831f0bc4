/** The operation `tokenOwners`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { TokenOwnersInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { chain, cursor, limit, Order } from "../internal/commonParameters.ts"
import { TokenOwner } from "../model/TokenOwner.ts"
import { list } from "../Operation.ts"
import { page } from "../Page.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  token_address: withDescription(Address, "Address of the token contract"),
  chain,
  limit,
  cursor,
  order: optional(withDescription(Order, "Sort order by balance"))
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, TokenOwnersInput> = inputSchema(fields)

/** Lists the holders of an ERC20 token. */
export const tokenOwners = list({
  id: "tokenOwners",
  api: "data",
  path: "/erc20/:token_address/owners",
  input,
  output: page(TokenOwner),
  pagination: { identity: ["owner_address"] },
  ttl: () => MaxAge({ duration: "5 seconds" }),
  cost: 5,
  price: 50,
  docs: {
    group: "Tokens",
    summary: "List the holders of an ERC20 token",
    knownIssue: "On chains other than eth the upstream returns holders in the wrong order. " +
      "To find the largest holders, read the whole list and sort it."
  },
  example: ({ token }): TokenOwnersInput => ({ token_address: token, chain: "eth", limit: 3 })
})
