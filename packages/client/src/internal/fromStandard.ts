/** Schemas of other libraries as Schemas of Effect. */
import type { CursorPage } from "@blockquarry/core/Page"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import type { StandardResult, StandardSchema } from "../Request.ts"

/** Whether a value of a program without types is a Standard Schema. */
export const isStandard = (output: unknown): boolean =>
  Predicate.hasProperty(output, "~standard") && Predicate.hasProperty(output["~standard"], "validate") &&
  Predicate.isFunction(output["~standard"].validate)

/** Returns a Schema that decodes what `standard` validates, to a value of `to`. */
export const fromStandard = <A>(
  standard: StandardSchema<unknown>,
  to: Schema.Schema<A>
): Schema.Schema<A, unknown> =>
  Schema.transformOrFail(Schema.Unknown, Schema.compose(Schema.Unknown, to, { strict: false }), {
    strict: true,
    decode: (document, _, ast) => {
      const failed = (cause: unknown) =>
        new ParseResult.Type(ast, document, `the schema \`output\` failed: ${messageOf(cause)}`)
      const validated = ParseResult.try({
        try: () => standard["~standard"].validate(document),
        catch: failed
      })
      return ParseResult.flatMap(
        validated,
        (result) =>
          Predicate.isPromiseLike(result)
            ? Effect.flatMap(
              Effect.tryPromise({ try: () => result, catch: failed }),
              (result) => decoded(result, document, ast)
            )
            : decoded(result, document, ast)
      )
    },
    encode: ParseResult.succeed
  })

const messageOf = (cause: unknown): string => Predicate.isError(cause) ? String(cause) : typeof cause

/** A page as a schema returns it. */
export const AnyPage: Schema.Schema<CursorPage<unknown>> = Schema.declare(
  (value): value is CursorPage<unknown> =>
    Predicate.hasProperty(value, "result") && Arr.isArray(value.result),
  { message: () => "expected that the schema `output` returns a page, with the list `result`" }
)

const decoded = (result: StandardResult<unknown>, document: unknown, ast: AST.AST) => {
  if (result.issues === undefined) return ParseResult.succeed(result.value)
  const [{ message, path = [] } = { message: "unexpected shape" }] = result.issues
  const issue = new ParseResult.Type(ast, document, message)
  const keys = path.map((step) => typeof step === "object" ? step.key : step)
  return ParseResult.fail(
    Arr.isNonEmptyReadonlyArray(keys) ? new ParseResult.Pointer(keys, document, issue) : issue
  )
}
