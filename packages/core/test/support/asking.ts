/** What becomes of something that a caller wrote: the canonical input, the request that is sent, or a refusal. */
import type { Operation } from "@blockquarry/core/Operation"
import { type ArraySpelling, readInput, type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"

/** Only where a parameter goes and how it is read matters here. */
type Asked<I, Accepts> = Pick<
  Operation<I, Accepts, never, never>,
  "id" | "method" | "path" | "parameters" | "input"
>

/** The canonical input. `written` is unknown, because everything that a wire can bring is tried. */
export const asked = <I, Accepts>(operation: Asked<I, Accepts>, written: unknown): I =>
  Either.getOrThrowWith(readInput(operation, written), (error) => error)

/** The request that is sent for what a typed caller wrote. */
export const sent = <I, Accepts>(
  operation: Asked<I, Accepts>,
  written: NoInfer<Accepts>,
  spelling?: ArraySpelling
): WireRequest => writeRequest(operation, asked(operation, written), spelling)

/** The parameters that are refused, each with what is wrong. */
export const refused = <I, Accepts>(
  operation: Asked<I, Accepts>,
  written: unknown
): ReadonlyArray<readonly [parameter: string, problem: string]> =>
  Either.match(readInput(operation, written), {
    onLeft: ({ issues }) => issues.map(({ parameter, problem }) => [parameter, problem] as const),
    onRight: () => []
  })
