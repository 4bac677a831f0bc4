/** What the API reference shows of each operation. */
import { type ExampleValues, isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { Config } from "../../config/Config.ts"
import { costOf } from "../../exchange/Charge.ts"
import { prefixes } from "../../pipeline/Router.ts"
import { errorResponsesOf } from "../openapi/ErrorResponses.ts"
import { inputsOf, successesOf, template } from "../openapi/OperationPaths.ts"
import { reference, responseSchemaName } from "../openapi/ResponseSchemas.ts"

export type Endpoint = ReturnType<typeof endpoints>[number]

/** Well-known values. Streams belong to an account, and ledger transactions are on another chain. */
const ethereum: ExampleValues = {
  wallet: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  token: "0xdac17f958d2ee523a2206206994597c13d831ec7",
  collection721: "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d",
  tokenId721: "1",
  stream: "",
  transaction: ""
}

/** Returns the values of an example input by name. */
const exampleInput = (values: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** `examples` are values of the sandbox. Default: values of Ethereum. */
export const endpoints = (costs: Config["costs"], examples: ExampleValues = ethereum) =>
  allOperations.map((operation) => {
    const [path = "", ...aliases] = prefixes(operation).map((prefix) => template(prefix + operation.path))
    return {
      id: operation.id,
      tag: operation.api,
      method: operation.method,
      path,
      aliases,
      /** Whether `/all` can stream it. */
      isList: isList(operation),
      summary: operation.docs.summary,
      issue: operation.docs.knownIssue,
      cost: costOf({ costs }, operation),
      inputs: inputsOf(operation),
      example: exampleInput(operation.example?.(examples) ?? {}),
      successes: successesOf(operation),
      errors: Object.keys(errorResponsesOf(operation)),
      schema: reference(responseSchemaName(operation.id))
    }
  })
