/** What the service refuses, and how it says so. */
import type { InvalidInputError } from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import { jsonResponse, type SandboxResponse } from "./HttpMessage.ts"

/** A request that is answered with an error body. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly status: number
  /** Several problems are sent as an array. */
  readonly messages: ReadonlyArray<string>
  /** The ledger's errors carry a code of their own. */
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}> {
  override get message(): string {
    return this.messages.join("; ")
  }
}

export const badRequest = (...messages: ReadonlyArray<string>): ApiError =>
  new ApiError({ status: 400, messages })

export const notFound = (message: string): ApiError => new ApiError({ status: 404, messages: [message] })

/** The answer that carries a refusal. */
export const errorResponse = ({ code, headers, messages: problems, status }: ApiError): SandboxResponse => {
  const [first = "", ...others] = problems
  const message = others.length === 0 ? first : problems
  return jsonResponse(
    status,
    code === undefined ? { message } : { message, error_code: code, vm_error_code: null },
    headers
  )
}

/** An input that does not fit its operation, in the service's words. */
export const invalidInput = (error: InvalidInputError): ApiError => {
  const problems = new Set(
    error.issues.map(({ parameter, reason: problem }) => validationMessage(parameter, problem))
  )
  return badRequest(...problems)
}

/** The same on the ledger, whose errors have another shape. */
export const invalidLedgerInput = (error: InvalidInputError): ApiError =>
  new ApiError({
    status: 400,
    messages: [`parse parameter failed: ${error.issues.map(({ reason: problem }) => problem).join("; ")}`],
    code: "invalid_input"
  })

/** How leaves of a schema begin to say what they want. */
const expectedPrefix = /^expected /

const validationMessage = (parameter: string, message: string): string => {
  const name = parameter.split(".")[0] ?? parameter
  switch (name) {
    case "address":
    case "token_address":
    case "contract_addresses":
      return "[C0005] Invalid address provided"
    case "token_id":
      return "[C0006] Request failed, Bad Request(400): [C0005] Invalid TokenId provided"
    case "chain":
    case "chains":
      return `${name} must be a valid enum value, ${message.replace(expectedPrefix, "")}`
    default:
      return expectedPrefix.test(message)
        ? `${name} must be ${message.replace(expectedPrefix, "")}`
        : `${name}: ${message}`
  }
}
