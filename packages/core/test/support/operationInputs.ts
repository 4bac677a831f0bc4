/** What becomes of something that a caller wrote: the canonical input, the request that is sent, or a refusal. */
import type { Operation } from "@blockquarry/core/Operation"
import {
  type ArrayFormat,
  decodeInput,
  type EncodedRequest,
  encodeRequest
} from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"

/** Only where a parameter goes and how it is read matters here. */
type OperationUnderTest<I, InputEncoded> = Pick<
  Operation<I, InputEncoded, never, never>,
  "id" | "method" | "path" | "parameters" | "input"
>

/** The canonical input. `written` is unknown, because everything that a wire can bring is tried. */
export const decodedInput = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: unknown
): I => Either.getOrThrowWith(decodeInput(operation, encoded), (error) => error)

/** The request that is sent for what a typed caller wrote. */
export const encodedRequest = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: NoInfer<InputEncoded>,
  arrayFormat?: ArrayFormat
): EncodedRequest => encodeRequest(operation, decodedInput(operation, encoded), arrayFormat)

/** The parameters that are refused, each with what is wrong. */
export const inputIssues = <I, InputEncoded>(
  operation: OperationUnderTest<I, InputEncoded>,
  encoded: unknown
): ReadonlyArray<readonly [parameter: string, problem: string]> =>
  Either.match(decodeInput(operation, encoded), {
    onLeft: ({ issues }) => issues.map(({ parameter, reason: problem }) => [parameter, problem] as const),
    onRight: () => []
  })
