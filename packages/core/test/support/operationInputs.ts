/** Results of decoding an input: the canonical input, or the reported issues. */
import type { Operation } from "@blockquarry/core/Operation"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"

type OperationUnderTest<I, InputEncoded> = Pick<
  Operation<I, InputEncoded, never, never>,
  "id" | "method" | "path" | "parameters" | "input"
>

/** The canonical input. `encoded` is unknown, because requests may contain anything. */
export const decodedInput = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: unknown
): I => Either.getOrThrowWith(decodeInput(operation, encoded), (error) => error)

/** The invalid parameters, each with the reason. */
export const inputIssues = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: unknown
): ReadonlyArray<readonly [parameter: string, reason: string]> =>
  Either.match(decodeInput(operation, encoded), {
    onLeft: ({ issues }) => issues.map(({ parameter, reason }) => [parameter, reason] as const),
    onRight: () => []
  })
