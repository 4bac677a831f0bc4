/** The page `/docs`: a shell script with a command for every operation. `/openapi.json` describes everything else. */
import { type AnyOperation, type ExampleValues, isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Either from "effect/Either"
import { prefixes } from "../pipeline/Router.ts"
import { type CostTable, priceText } from "../quota/CostTable.ts"
import { info } from "./openapi/OpenApiDocument.ts"
import { template } from "./openapi/OperationPaths.ts"

/** Well-known values. Streams belong to an account, and ledger transactions are on another chain. */
const ethereum: ExampleValues = {
  wallet: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  token: "0xdac17f958d2ee523a2206206994597c13d831ec7",
  collection721: "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d",
  tokenId721: "1",
  stream: "",
  transaction: ""
}

/** `examples`: values of the sandbox. Default: values of Ethereum. */
export const render = (costs: CostTable, examples: ExampleValues = ethereum): HttpResponse.HttpResponse =>
  HttpResponse.text(
    200,
    "text/plain; charset=utf-8",
    `# ${info.title}, API ${info.version}: ${info.summary}

# PROXY is the origin of this page, and TOKEN your token of the proxy, if it requires one.
# /openapi.json describes parameters, responses, headers and errors.

${allOperations.map((operation) => commandOf(operation, costs, examples)).join("\n\n")}
`,
    { "cache-control": "no-cache", "x-content-type-options": "nosniff" }
  )

/** Returns a command that sends the example of an operation, or, without one, its path, below what it costs. */
const commandOf = (operation: AnyOperation, costs: CostTable, examples: ExampleValues): string => {
  const { docs: { knownIssue, summary }, example, id, method } = operation
  const [prefix = "", ...aliases] = prefixes(operation)
  const input = decodeInput<unknown, unknown>(operation, { ...example?.(examples) })
  const { body, path, query } = Either.isRight(input)
    ? encodeRequest(operation, input.right)
    : { body: null, path: template(operation.path), query: [] }
  const target = `${prefix}${path}${query.length === 0 ? "" : `?${formatQuery(query)}`}`
  const cost = costs.of(operation)
  const command = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$PROXY${target}"`,
    "-H \"X-API-Key: $TOKEN\"",
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`])
  ].join(" \\\n  ")
  return [
    `# ${id}: ${summary}. Price ${priceText(cost)}, rate cost ${cost.rateCost}`,
    ...aliases.map((alias) => `# Also below ${alias}`),
    ...(isList(operation) ? ["# All records, one per line: put /all before the path"] : []),
    ...(knownIssue === undefined ? [] : [`# Known issue: ${knownIssue}`]),
    command
  ].join("\n")
}
