/** What the API reference shows: the operations, and the pages of the proxy. */
import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { Config } from "../../config/Config.ts"
import { costOf } from "../../exchange/Charge.ts"
import { prefixes } from "../../pipeline/Router.ts"
import { errorResponsesOf } from "../openapi/ErrorResponses.ts"
import { proxyPages } from "../openapi/OpenApiDocument.ts"
import { inputsOf, successesOf, template } from "../openapi/OperationPaths.ts"
import { reference, responseSchemaName } from "../openapi/ResponseSchemas.ts"

export type Endpoint = ReturnType<typeof endpoints>[number]

export const endpoints = (costs: Config["costs"]) => [
  ...allOperations.map((operation) => {
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
      successes: successesOf(operation),
      errors: Object.keys(errorResponsesOf(operation)),
      schema: reference(responseSchemaName(operation.id))
    }
  }),
  ...proxyPages.map(({ id, path, responses: { "200": success = "", ...errors }, summary }) => ({
    id,
    tag: "proxy",
    method: "GET",
    path,
    aliases: [],
    isList: false,
    summary,
    issue: undefined,
    /** Pages cost nothing. */
    cost: null,
    inputs: [],
    successes: { "200": success },
    errors: Object.keys(errors),
    schema: { type: "object" }
  }))
]
