/** Random changes of documents. */
import { Json } from "@blockquarry/core/Json"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"

/** Values of other types, and unusual values that scalars may accept. */
const arbitraryValue = FastCheck.oneof(
  FastCheck.constantFrom(
    ...[null, "", "0", "0xAb", "true", 0, 1, -1, 0.5, true, [], {}, [null], "2024-01-01", "-1.50"],
    ...["2024-02-29T23:59:59.999Z", "2023-02-29T00:00:00.000Z", `0x${"aB".repeat(20)}`, "9".repeat(80)]
  ),
  Arbitrary.make(Json)
)

/** A change of the value at `index`: another value, an additional field, removal, or reversal of its fields. */
export interface Mutation {
  readonly index: number
  readonly replacement:
    | { readonly value: unknown }
    | { readonly name: string; readonly value: unknown }
    | "removed"
    | "reversed"
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
      FastCheck.constantFrom("removed" as const, "reversed" as const)
    )
  }),
  { maxLength: 3 }
)

/** Changes the value at `index`, counted depth first. */
export const mutateDocument = (document: unknown, { index, replacement }: Mutation): unknown => {
  let remaining = index % countValues(document)
  const removed = Symbol("removed")
  const visit = (value: unknown): unknown => {
    if (remaining-- === 0) {
      return replacement === "removed"
        ? removed
        : replacement === "reversed"
        ? reverseMembers(value)
        : replaceValue(value, replacement)
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

/** The same fields in reverse order. */
const reverseMembers = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value

const replaceValue = (
  value: unknown,
  replacement: { readonly value: unknown } | { readonly name: string; readonly value: unknown }
) =>
  "name" in replacement && isRecord(value)
    ? Object.fromEntries([...Object.entries(value), [replacement.name, replacement.value]])
    : replacement.value

const countValues = (value: unknown): number =>
  Array.isArray(value) || isRecord(value)
    ? 1 + Object.values(value).reduce<number>((sum, member: unknown) => sum + countValues(member), 0)
    : 1

/** A string that distinguishes all values, including the order of fields. */
/** Without members that a schema keeps and that Effect makes a prototype. */
const describeValue = (value: unknown): string =>
  JSON.stringify(
    value,
    (name, member: unknown) =>
      name === "__proto__"
        ? undefined
        : typeof member === "bigint"
        ? `${member}n`
        : member === undefined
        ? "undefined"
        : member
  ) ?? "undefined"

/**
 * Describes the result of decoding or encoding as a string. Equal strings mean equal results. Union schemas throw for a
 * few hostile documents, which decoders reject; both count as the same outcome.
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
  return text.includes("the document cannot be decoded") ? hostileOutcome : `rejected: ${text}`
}

const hostileOutcome = "rejected: it throws on conversion to a string"
