/** What the API reference shows: the operations, and the pages of the proxy. */
import { isList, type Parameter } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import type { Config } from "../../config/Config.ts"
import { costOf } from "../../exchange/Charge.ts"
import { prefixes } from "../../pipeline/Router.ts"
import { errorResponsesOf } from "../openapi/ErrorResponses.ts"
import { proxyPages } from "../openapi/OpenApiDocument.ts"
import { inputsOf, successesOf, template } from "../openapi/OperationPaths.ts"
import { reference, responseSchemaName } from "../openapi/ResponseSchemas.ts"

export interface Endpoint {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly aliases: ReadonlyArray<string>
  /** Whether the operation is a list, which `/all` can stream. */
  readonly isList: boolean
  readonly summary: string
  readonly issue: string | undefined
  /** In units. Null for pages. */
  readonly cost: number | null
  readonly inputs: ReadonlyArray<Pick<Parameter, "description" | "in" | "jsonSchema" | "name" | "required">>
  readonly successes: Readonly<Record<string, string>>
  readonly errors: ReadonlyArray<string>
  readonly schema: unknown
}

export const endpoints = (costs: Config["costs"]): ReadonlyArray<Endpoint> => [
  ...allOperations.map((operation): Endpoint => {
    const [path = "", ...aliases] = prefixes(operation).map((prefix) => template(prefix + operation.path))
    return {
      id: operation.id,
      tag: operation.api,
      method: operation.method,
      path,
      aliases,
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
  ...proxyPages.map(({ id, path, responses: { "200": success = "", ...errors }, summary }): Endpoint => ({
    id,
    tag: "proxy",
    method: "GET",
    path,
    aliases: [],
    isList: false,
    summary,
    issue: undefined,
    cost: null,
    inputs: [],
    successes: { "200": success },
    errors: Object.keys(errors),
    schema: { type: "object" }
  }))
]
