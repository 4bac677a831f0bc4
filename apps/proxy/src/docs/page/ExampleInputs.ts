/** Example inputs of the operations: with values of the sandbox's ledger, or of Ethereum. */
import type { ExampleValues } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"

export type ExampleInput = Readonly<Record<string, string>>

/** Well-known values. Streams belong to an account, and ledger transactions are on another chain. */
const ethereum: ExampleValues = {
  wallet: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  token: "0xdac17f958d2ee523a2206206994597c13d831ec7",
  collection721: "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d",
  tokenId721: "1",
  stream: "",
  transaction: ""
}

export const make = (values: ExampleValues = ethereum): ReadonlyMap<string, ExampleInput> =>
  new Map(
    allOperations.map(({ example, id }) => [
      id,
      Object.fromEntries(
        Object.entries(example?.(values) ?? {}).map(([name, value]) => [name, String(value)])
      )
    ])
  )
