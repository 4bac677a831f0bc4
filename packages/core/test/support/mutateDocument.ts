/** Documents that are not as they should be. */
import { Json } from "@blockquarry/core/Json"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"

/** What may stand where something else belongs, and what a lenient leaf still reads. */
const arbitraryValue = FastCheck.oneof(
  FastCheck.constantFrom(
    null,
    "",
    "0",
    "0xAb",
    "true",
    0,
    1,
    -1,
    0.5,
    true,
    [],
    {},
    [null],
    "2024-01-01",
    "2024-02-29T23:59:59.999Z",
    "2023-02-29T00:00:00.000Z",
    "-1.50",
    `0x${"aB".repeat(20)}`,
    "9".repeat(80)
  ),
  Arbitrary.make(Json)
)

/** Where and what; undefined takes the place away, and a name puts a member there that nobody asked for. */
export interface Mutation {
  readonly index: number
  readonly replacement:
    | { readonly value: unknown }
    | { readonly name: string; readonly value: unknown }
    | "gone"
    | "turned"
}

export const mutations: FastCheck.Arbitrary<ReadonlyArray<Mutation>> = FastCheck.array(
  FastCheck.record({
    index: FastCheck.nat(),
    replacement: FastCheck.oneof(
      FastCheck.record({ value: FastCheck.oneof(arbitraryValue, FastCheck.constant(undefined)) }),
      FastCheck.record({
        name: FastCheck.constantFrom("__proto__", "constructor", "toString", "future_member"),
        value: FastCheck.oneof(arbitraryValue, FastCheck.constant({ status: "SYNCED", address: null }))
      }),
      FastCheck.constantFrom("gone" as const, "turned" as const)
    )
  }),
  { maxLength: 3 }
)

/** Changes the nth value of a document, counted depth first. */
export const mutateDocument = (document: unknown, { index: nth, replacement: to }: Mutation): unknown => {
  let remaining = nth % countValues(document)
  const removed = Symbol("gone")
  const visit = (value: unknown): unknown => {
    if (remaining-- === 0) {
      return to === "gone"
        ? removed
        : to === "turned"
        ? reverseMembers(value)
        : replaceValue(value, to)
    }
    if (Array.isArray(value)) return value.map(visit).filter((item) => item !== removed)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, visit(member)] as const)
        .filter(([, member]) => member !== removed)
    )
  }
  const mutated = visit(document)
  return mutated === removed ? undefined : mutated
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The same members in the opposite order. */
const reverseMembers = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value

const replaceValue = (
  value: unknown,
  to: { readonly value: unknown } | { readonly name: string; readonly value: unknown }
) =>
  "name" in to && isRecord(value)
    ? Object.fromEntries([...Object.entries(value), [to.name, to.value]])
    : to.value

const countValues = (value: unknown): number =>
  Array.isArray(value) || isRecord(value)
    ? 1 + Object.values(value).reduce<number>((sum, member: unknown) => sum + countValues(member), 0)
    : 1

/** A value as text, in which the order of members shows, and every kind of value. */
const describeValue = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, member: unknown) =>
      typeof member === "bigint" ? `${member}n` : member === undefined ? "undefined" : member
  ) ?? "undefined"

/**
 * What becomes of reading or writing, as one text: two of the same text are equal in all that can be seen. Schemas of
 * several variants throw on a few documents that are made for it, which decoders refuse.
 */
export const describeOutcome = (run: () => unknown): string =>
  Either.match(Either.try({ try: run, catch: (error) => error }), {
    onLeft: (error) => error instanceof TypeError ? hostileOutcome : `thrown: ${String(error)}`,
    onRight: (result) =>
      Either.isEither(result)
        ? Either.match(result, { onLeft: describeError, onRight: describeValue })
        : describeValue(result)
  })

const describeError = (error: unknown): string => {
  const text = String(error)
  return text.includes("no such document") ? hostileOutcome : `refused: ${text}`
}

const hostileOutcome = "refused: it throws where it is made text"
