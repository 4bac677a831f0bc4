/** `quarry ledger tx` */
import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as Either from "effect/Either"
import { Usage } from "../Failure.ts"
import { single, type Values } from "../line/Entry.ts"
import { readCommand } from "../ReadCommand.ts"

const networks = ["mainnet", "testnet"]

const network = (values: Values): string => single(values, "network") ?? "mainnet"

export const ledgerTransaction = readCommand({
  words: ["ledger", "tx"],
  operation,
  client: ({ ledger }, { values }) =>
    network(values) === "testnet" ? ledger.testnet.ledgerTransaction : ledger.ledgerTransaction,
  check: ({ values }) =>
    networks.includes(network(values))
      ? Either.void
      : Either.left(
        new Usage({
          problem: `--network: expected ${networks.join(" or ")}, got ${JSON.stringify(network(values))}`,
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
