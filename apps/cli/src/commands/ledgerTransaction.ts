/** `quarry ledger tx` */
import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as Either from "effect/Either"
import { type ArgumentValues, singleValue } from "../args/CommandSpec.ts"
import { UsageError } from "../CommandError.ts"
import { recordCommand } from "../RecordCommand.ts"

const networks = ["mainnet", "testnet"]

const network = (values: ArgumentValues): string => singleValue(values, "network") ?? "mainnet"

export const ledgerTransaction = recordCommand({
  path: ["ledger", "tx"],
  operation,
  selectClient: ({ ledger }, { values }) =>
    network(values) === "testnet" ? ledger.testnet.ledgerTransaction : ledger.ledgerTransaction,
  validate: ({ values }) =>
    networks.includes(network(values))
      ? Either.void
      : Either.left(
        new UsageError({
          reason: `--network: expected ${networks.join(" or ")}, got ${JSON.stringify(network(values))}`,
          hint: null
        })
      ),
  options: [{
    name: "network",
    value: "name",
    description: "which of the ledger's networks",
    choices: networks
  }],
  examples: ["{transaction}", "{transaction} --network mainnet -o json"]
})
