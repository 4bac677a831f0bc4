/** Results of decoding an input: the canonical input, the encoded request, or the reported issues. */
import type { Operation } from "@blockquarry/core/Operation"
import {
  type ArrayFormat,
  decodeInput,
  type EncodedRequest,
  encodeRequest
} from "@blockquarry/core/RequestEncoding"
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

/** The request for a typed input. */
export const encodedRequest = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: NoInfer<InputEncoded>,
  arrayFormat?: ArrayFormat
): EncodedRequest => encodeRequest(operation, decodedInput(operation, encoded), arrayFormat)

/** The invalid parameters, each with the reason. */
export const inputIssues = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: unknown
): ReadonlyArray<readonly [parameter: string, reason: string]> =>
  Either.match(decodeInput(operation, encoded), {
    onLeft: ({ issues }) => issues.map(({ parameter, reason }) => [parameter, reason] as const),
    onRight: () => []
  })
