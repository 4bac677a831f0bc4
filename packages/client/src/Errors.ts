/**
 * The errors of this package: those that promises and iterators reject with, and two that functions throw. Each cause has a
 * class, which extends `BlockquarryError`, and a `name`, which is equal to the name of the class.
 *
 * Errors are plain data: the operation, the method and path of the request, and what is known of the response. They never
 * contain request headers or API keys. Durations are in milliseconds.
 */
import { BlockquarryError, namedError } from "./BlockquarryError.ts"
import type { OperationError, PaginationError } from "./OperationErrors.ts"

export { BlockquarryError } from "./BlockquarryError.ts"
export type {
  RequestErrorFields,
  RequestSummary,
  ResponseErrorFields,
  ResponseSummary
} from "./BlockquarryError.ts"
export * from "./OperationErrors.ts"

/**
 * The `signal` of the call or of the client was aborted. `cause` is the reason of the signal. An update may have been
 * applied.
 */
export class AbortError extends namedError("AbortError") {
  /** The id of the operation. */
  declare readonly operation: string

  constructor(operation: string, reason: unknown) {
    const summary = "the signal was aborted"
    super({ summary, message: `${operation}: ${summary}` }, { operation }, { cause: reason })
  }
}

/** `close` was called before or during the call. An update that was in flight may have been applied. */
export class ClientClosedError extends namedError("ClientClosedError") {
  /** The id of the operation. */
  declare readonly operation: string

  constructor(operation: string) {
    const summary = "the client is closed"
    const hint = "Create another one with createClient."
    super({ summary, hint, message: `${operation}: ${summary}. ${hint}` }, { operation })
  }
}

/**
 * An option of `createClient` is missing or invalid. `createClient` throws it. A call rejects with it if the client has no
 * base URL for its API.
 */
export class ConfigurationError extends namedError("ConfigurationError") {
  /** One issue for each invalid option, as in `rateLimit.limit`. */
  declare readonly issues: ReadonlyArray<{ readonly option: string; readonly reason: string }>

  constructor(issues: ConfigurationError["issues"]) {
    const summary = issues.map(({ option, reason }) => `${option}: ${reason}`).join("; ")
    super({ summary }, { issues })
  }
}

/** A value is not a record of a model. `decode` throws it. */
export class InvalidRecordError extends namedError("InvalidRecordError") {
  /** The name of the model. */
  declare readonly model: string
  /** Where in the value, as in `last_sale.price`. Empty for the value as a whole. */
  declare readonly path: string
  declare readonly reason: string

  constructor(fields: Pick<InvalidRecordError, "model" | "path" | "reason">) {
    const summary = `${fields.model}${fields.path === "" ? "" : ` at ${fields.path}`}: ${fields.reason}`
    super({ summary }, fields)
  }
}

/** Every error of a call. */
export type CallError = OperationError | AbortError | ClientClosedError | ConfigurationError

/** Every error of a list. */
export type ListError = CallError | PaginationError

/** Every error of this package, discriminated by `name`. */
export type ClientError = ListError | InvalidRecordError

/**
 * Returns whether a value is an error of this package. `name` then tells its class.
 *
 * @example
 * import { createClient, isClientError } from "@blockquarry/client"
 *
 * const client = createClient({ apiKey: "…", baseUrl: "https://…" })
 *
 * const price = await client.tokenPrice({ address: "0x…" }).catch((error: unknown) => {
 *   if (isClientError(error)) {
 *     switch (error.name) {
 *       case "NotFoundError":
 *         return null
 *       case "RateLimitError":
 *         throw new Error(`retry in ${error.retryAfter} ms`)
 *     }
 *   }
 *   throw error
 * })
 */
export const isClientError = (error: unknown): error is ClientError => error instanceof BlockquarryError
