/** Error responses of the sandbox. */
import type { InvalidInputError } from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import { jsonResponse, type SandboxResponse } from "./HttpMessage.ts"

/** An error response. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly status: number
  /** Several messages are sent as an array. */
  readonly messages: ReadonlyArray<string>
  /** The error code, which only the ledger API returns. */
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

/** Creates the response of an error. */
export const errorResponse = ({ code, headers, messages, status }: ApiError): SandboxResponse => {
  const [first = "", ...others] = messages
  const message = others.length === 0 ? first : messages
  return jsonResponse(
    status,
    code === undefined ? { message } : { message, error_code: code, vm_error_code: null },
    headers
  )
}

/** Creates the error of an invalid input, with the messages of the data and streams APIs. */
export const invalidInput = (error: InvalidInputError): ApiError => {
  const messages = new Set(
    error.issues.map(({ parameter, reason }) => validationMessage(parameter, reason))
  )
  return badRequest(...messages)
}

/** Creates the error of an invalid input in the format of the ledger API. */
export const invalidLedgerInput = (error: InvalidInputError): ApiError =>
  new ApiError({
    status: 400,
    messages: [`parse parameter failed: ${error.issues.map(({ reason }) => reason).join("; ")}`],
    code: "invalid_input"
  })

/** The prefix of the messages of schemas. */
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
