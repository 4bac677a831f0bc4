/** Documents that are not as they should be. */
import { Json } from "@blockquarry/core/Json"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"

/** What may stand where something else belongs, and what a lenient leaf still reads. */
const rubbish = FastCheck.oneof(
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
export interface Change {
  readonly nth: number
  readonly to:
    | { readonly value: unknown }
    | { readonly name: string; readonly value: unknown }
    | "gone"
    | "turned"
}

export const changes: FastCheck.Arbitrary<ReadonlyArray<Change>> = FastCheck.array(
  FastCheck.record({
    nth: FastCheck.nat(),
    to: FastCheck.oneof(
      FastCheck.record({ value: FastCheck.oneof(rubbish, FastCheck.constant(undefined)) }),
      FastCheck.record({
        name: FastCheck.constantFrom("__proto__", "constructor", "toString", "future_member"),
        value: FastCheck.oneof(rubbish, FastCheck.constant({ status: "SYNCED", address: null }))
      }),
      FastCheck.constantFrom("gone" as const, "turned" as const)
    )
  }),
  { maxLength: 3 }
)

/** Changes the nth value of a document, counted depth first. */
export const spoil = (document: unknown, { nth, to }: Change): unknown => {
  let left = nth % count(document)
  const gone = Symbol("gone")
  const visit = (value: unknown): unknown => {
    if (left-- === 0) return to === "gone" ? gone : to === "turned" ? turned(value) : put(value, to)
    if (Array.isArray(value)) return value.map(visit).filter((item) => item !== gone)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, visit(member)] as const)
        .filter(([, member]) => member !== gone)
    )
  }
  const changed = visit(document)
  return changed === gone ? undefined : changed
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The same members in the opposite order. */
const turned = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value

const put = (
  value: unknown,
  to: { readonly value: unknown } | { readonly name: string; readonly value: unknown }
) =>
  "name" in to && isRecord(value)
    ? Object.fromEntries([...Object.entries(value), [to.name, to.value]])
    : to.value

const count = (value: unknown): number =>
  Array.isArray(value) || isRecord(value)
    ? 1 + Object.values(value).reduce<number>((sum, member: unknown) => sum + count(member), 0)
    : 1

/** A value as text, in which the order of members shows, and every kind of value. */
const shape = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, member: unknown) =>
      typeof member === "bigint" ? `${member}n` : member === undefined ? "undefined" : member
  ) ?? "undefined"

/**
 * What becomes of reading or writing, as one text: two of the same text are equal in all that can be seen. Schemas of
 * several variants throw on a few documents that are made for it, which decoders refuse.
 */
export const told = (run: () => unknown): string =>
  Either.match(Either.try({ try: run, catch: (error) => error }), {
    onLeft: (error) => error instanceof TypeError ? hostile : `thrown: ${String(error)}`,
    onRight: (result) =>
      Either.isEither(result) ? Either.match(result, { onLeft: refusal, onRight: shape }) : shape(result)
  })

const refusal = (error: unknown): string => {
  const text = String(error)
  return text.includes("no such document") ? hostile : `refused: ${text}`
}

const hostile = "refused: it throws where it is made text"
