import { nftMetadata as operation } from "@blockquarry/core/operations/nftMetadata"
import { isEnabled } from "../args/ArgumentValues.ts"
import { formatTokenAmount } from "../render/TokenAmount.ts"
import { recordCommand } from "./RecordCommand.ts"
import { waitOption, waitUntilSynced } from "./WaitForSync.ts"

export const nftMetadata = recordCommand({
  path: ["nft", "get"],
  operation,
  options: [waitOption],
  inputFields: ["name", "token_id", "contract_type", "owner_of", "block_number", "token_address"],
  wrapCall: (operation, invocation) =>
    isEnabled(invocation.values, waitOption.name) ? waitUntilSynced(operation, invocation, true) : operation,
  displayValues: ({ last_sale }) =>
    last_sale === null || last_sale.payment_token === null
      ? []
      : [[
        "last_sale.price",
        `${formatTokenAmount(last_sale.price, last_sale.payment_token.token_decimals)} ${
          last_sale.payment_token.token_symbol ?? ""
        }`
      ]],
  examples: ["{collection} 1 --chain eth", "{collection} 1 --normalize-metadata --media-items -o json"]
})
