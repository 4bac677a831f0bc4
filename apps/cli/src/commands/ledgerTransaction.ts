/** `quarry ledger tx` */
import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as Effect from "effect/Effect"
import { singleValue } from "../args/CommandSpec.ts"
import { oneOf } from "../args/ValueCheck.ts"
import { recordCommand } from "../RecordCommand.ts"

const networks = ["mainnet", "testnet"]

export const ledgerTransaction = recordCommand({
  path: ["ledger", "tx"],
  operation,
  selectClient: ({ ledger, ledgerTestnet }, { values }) =>
    Effect.map(
      singleValue(values, "network") === "testnet" ? ledgerTestnet : ledger,
      (ledger) => ledger.ledgerTransaction
    ),
  options: [{
    name: "network",
    value: "name",
    description: "Ledger network (default: mainnet)",
    choices: networks,
    check: oneOf(networks)
  }],
  examples: ["{transaction}", "{transaction} --network mainnet -o json"]
})
