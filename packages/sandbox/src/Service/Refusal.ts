/** What the service refuses, and how it says so. */
import type { InvalidRequest } from "@blockquarry/core/QueryError"
import * as Data from "effect/Data"
import { type Answer, json } from "./Message.ts"

/** A request that is answered with an error body. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  /** Several problems are sent as an array. */
  readonly problems: ReadonlyArray<string>
  /** The ledger's errors carry a code of their own. */
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}> {
  override get message(): string {
    return this.problems.join("; ")
  }
}

export const badRequest = (...problems: ReadonlyArray<string>): Refusal =>
  new Refusal({ status: 400, problems })

export const notFound = (problem: string): Refusal => new Refusal({ status: 404, problems: [problem] })

/** The answer that carries a refusal. */
export const answerOf = ({ code, headers, problems, status }: Refusal): Answer => {
  const [first = "", ...others] = problems
  const message = others.length === 0 ? first : problems
  return json(
    status,
    code === undefined ? { message } : { message, error_code: code, vm_error_code: null },
    headers
  )
}

/** An input that does not fit its operation, in the service's words. */
export const refuseInput = (invalid: InvalidRequest): Refusal => {
  const problems = new Set(invalid.issues.map(({ parameter, problem }) => wording(parameter, problem)))
  return badRequest(...problems)
}

/** The same on the ledger, whose errors have another shape. */
export const refuseLedgerInput = (invalid: InvalidRequest): Refusal =>
  new Refusal({
    status: 400,
    problems: [`parse parameter failed: ${invalid.issues.map(({ problem }) => problem).join("; ")}`],
    code: "invalid_input"
  })

/** How leaves of a schema begin to say what they want. */
const expected = /^expected /

const wording = (parameter: string, problem: string): string => {
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
      return `${name} must be a valid enum value, ${problem.replace(expected, "")}`
    default:
      return expected.test(problem)
        ? `${name} must be ${problem.replace(expected, "")}`
        : `${name}: ${problem}`
  }
}
