/** Error responses by status: errors of the proxy, and upstream errors that it passes through. */
import * as Rec from "effect/Record"
import { errorCodes } from "../../exchange/ErrorCode.ts"
import { type DescribedOperation, type JsonObject, reference } from "./ResponseSchemas.ts"

const statuses = [...new Set(Object.values(errorCodes).map(({ status }) => status))]

const passedThrough: ReadonlySet<number> = new Set([400, 404, 408, 429, 500, 502, 503, 504])

const writeOnlyStatuses: ReadonlySet<number> = new Set([413, 415])

const withRetryAfter: ReadonlySet<number> = new Set([429, 503])

const componentOf = (status: number): string => `Error${status}`

export const errorResponsesOf = ({ method }: Pick<DescribedOperation, "method">): JsonObject =>
  Object.fromEntries(
    statuses.filter((status) => method === "POST" || !writeOnlyStatuses.has(status))
      .map((status) => [status, { $ref: `#/components/responses/${componentOf(status)}` }])
  )

export const errorResponses: JsonObject = Object.fromEntries(statuses.map((status) => {
  const codes = Object.keys(Rec.filter(errorCodes, (code) => code.status === status)).join(", ")
  const schema = reference("ProxyError")
  return [componentOf(status), {
    description: passedThrough.has(status) ? `${codes}; or the upstream response, unchanged` : codes,
    ...(withRetryAfter.has(status)
      ? { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } }
      : {}),
    content: { "application/json": { schema: passedThrough.has(status) ? { anyOf: [schema, {}] } : schema } }
  }]
}))
