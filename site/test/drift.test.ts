/** What every field of every response becomes if it drifts, as `docs/interface.md` says. */
import * as Decoder from "@blockquarry/core/Decoder"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { describe, expect, it } from "vitest"
import { type OutputField, outputFields } from "../src/OutputFields.ts"
import { sampleOf } from "./support/sampleDocument.ts"

/** Members of the union are documents of their own. */
const variants = ({ ast }: Schema.Schema.AnyNoContext): ReadonlyArray<AST.AST> =>
  ast._tag === "Union" ? ast.types.filter(({ _tag }) => _tag === "TypeLiteral") : [ast]

const cases = allOperations.flatMap(({ id, output }: AnyOperation) =>
  variants(output).map((ast) => ({ id, output, ast, fields: outputFields(Schema.make(ast)) }))
)

type Steps = ReadonlyArray<string | number>

/** The steps to a field of the first record: `result[].value` is `result`, 0, `value`. */
const stepsTo = (path: string): Steps =>
  path.split(".").flatMap((name) => name.endsWith("[]") ? [name.slice(0, -2), 0] : [name])

const absent = Symbol("absent")

const withValue = (document: unknown, [step, ...rest]: Steps, value: unknown): unknown => {
  if (step === undefined) return value
  const copy: Record<string | number, unknown> | Array<unknown> = Array.isArray(document)
    ? [...document]
    : { ...Object(document) }
  const member = withValue(Reflect.get(copy, step), rest, value)
  if (member === absent) Reflect.deleteProperty(copy, step)
  else Reflect.set(copy, step, member)
  return copy
}

const at = (value: unknown, steps: Steps): unknown =>
  steps.reduce<unknown>(
    (inner, step) => Predicate.isRecord(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : undefined,
    value
  )

/** Values of every JSON type. */
const values = [true, 12.5, "text!", "", [], [[5]], {}, { a: {} }, [{ b: 1 }, null]]

interface Case {
  readonly output: Schema.Schema.AnyNoContext
  readonly document: unknown
}

/** Returns what a drifted field becomes. Checks everything that is not this field. */
const outcomeOf = (
  { document, output }: Case,
  { nullInstead, path }: OutputField,
  value: unknown
): string => {
  const decode = Decoder.make(Schema.make<unknown, unknown>(output.ast))
  const drifted = withValue(document, stepsTo(path), value)
  const unreadable: Decoder.Unreadable = []
  const decoded = decode(drifted, unreadable)
  if (Either.isLeft(decoded)) {
    const { reason } = Decoder.mismatchOf(decoded.left)
    expect(reason).toMatch(/^expected .+, got .+$|^is missing$/)
    return "fails"
  }
  const original: unknown = Either.getOrThrow(decode(document))
  const changed = stepsTo(nullInstead ?? path)
  const [first] = unreadable
  if (first === undefined) {
    const inModel = at(decoded.right, stepsTo(path))
    const isOther = path === "type" && inModel !== at(original, stepsTo(path))
    if (!isOther) {
      expect(decoded.right).toEqual(
        withValue(original, stepsTo(path), inModel === undefined ? absent : inModel)
      )
    }
    return inModel === undefined ? "absent" : String(inModel)
  }
  // No other field of no other record is lost.
  expect(unreadable.map(({ field }) => field)).toEqual([nullInstead])
  expect(first.reason).toMatch(/^expected .+, got .+$|^is missing$/)
  expect(decoded.right).toEqual(withValue(original, changed, null))
  return `${nullInstead} is null, counted`
}

describe.each(cases)("$id", ({ ast, fields, output }) => {
  const document = sampleOf(ast)

  it("has a sample with every field, which can be read", () => {
    const decode = Decoder.make(Schema.make<unknown, unknown>(output.ast))
    const unreadable: Decoder.Unreadable = []
    const decoded = Either.getOrThrow(decode(document, unreadable))
    expect(unreadable).toEqual([])
    expect(fields.filter(({ path }) => at(decoded, stepsTo(path)) === null)).toEqual([])
  })

  it.each(fields.map((field) => [field.path, field] as const))("%s", (path, field) => {
    const outcome = (value: unknown) => outcomeOf({ document, output }, field, value)
    const lost = field.nullInstead === null ? "fails" : `${field.nullInstead} is null, counted`
    // Absent from a record of another variant is absent from a pending transaction.
    if (path !== "type" || field.absent !== undefined) {
      expect(outcome(absent)).toBe(field.absent ?? lost)
      expect(outcome(null)).toBe(field.null ?? lost)
    }
    for (const value of field.outOfRange) expect([value, outcome(value)]).toEqual([value, lost])
    const outcomes = values.map((value) => outcome(value))
    // Of every type, a value is read or lost; and some are lost
    expect(outcomes.includes(lost)).toBe(!field.isAny)
    if (lost === "fails") return
    expect(outcomes).not.toContain("fails")
  })

  it("loses no record and no fact to other fields, however many of them drift", () => {
    const decode = Decoder.make(Schema.make<unknown, unknown>(output.ast))
    const drifts = FastCheck.array(
      FastCheck.tuple(
        FastCheck.constantFrom(...fields.filter(({ path }) => path !== "type")),
        FastCheck.constantFrom(...values, absent, null)
      ),
      { minLength: 1, maxLength: 6 }
    )
    FastCheck.assert(FastCheck.property(drifts, (drifts) => {
      const drifted = drifts.reduce<unknown>(
        (before, [{ path }, value]) => withValue(before, stepsTo(path), value),
        document
      )
      const unreadable: Decoder.Unreadable = []
      const decoded = decode(drifted, unreadable)
      if (Either.isLeft(decoded)) {
        expect(drifts.some(([{ nullInstead }]) => nullInstead === null)).toBe(true)
        return
      }
      const lost = unreadable.map(({ field }) => field)
      for (const { kind, path } of fields) {
        if (lost.includes(path)) expect([path, kind]).toEqual([path, "describing"])
        const isInsideLost = lost.some((field) =>
          path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[]`)
        )
        const sent = at(drifted, stepsTo(path))
        if (kind === "describing" || isInsideLost || sent === undefined || sent === null || sent === "") {
          continue
        }
        expect([path, at(decoded.right, stepsTo(path))]).not.toEqual([path, null])
      }
    }))
  })
})
