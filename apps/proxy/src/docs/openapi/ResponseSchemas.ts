/** JSON Schemas of the upstream responses. */
import type { Operation } from "@blockquarry/core/Operation"
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import type * as Schema from "effect/Schema"

export type JsonObject = { readonly [name: string]: unknown }

/** The parts of an operation that its description uses. */
export type DescribedOperation =
  & Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters" | "docs">
  & {
    readonly output: Schema.Schema.AnyNoContext
  }

const integers = [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }]
const numbers = [{ type: "number" }, { type: "string" }]

/** Schemas of values that upstreams encode in more than one way, by name. */
const lenientSchemas = {
  Integer: { anyOf: integers },
  TokenDecimals: { anyOf: integers },
  Amount: { anyOf: integers, description: "Integer of up to 256 bits; parse it without losing digits" },
  TokenId: {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: "Up to 256 bits; parse it without losing digits"
  },
  Decimal: { anyOf: numbers },
  Float: { anyOf: numbers },
  BooleanLike: { anyOf: [{ type: "boolean" }, { enum: ["true", "false", 0, 1] }] },
  Cursor: { anyOf: [{ type: "string" }, { type: "integer" }] },
  Time: {
    type: "string",
    description: "ISO 8601, with or without milliseconds and time zone; UTC if the zone is missing"
  }
}

export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** Returns the name of the response schema of an operation, for example `WalletTransfersResponse`. */
export const responseSchemaName = (id: string): string =>
  `${id.charAt(0).toUpperCase()}${id.slice(1)}Response`

export const responseSchemas = (operations: ReadonlyArray<DescribedOperation>): JsonObject => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const documents = operations.map(({ id, output }) =>
    [
      responseSchemaName(id),
      JSONSchema.fromAST(output.ast, {
        definitions,
        definitionPath: "#/components/schemas/",
        target: "openApi3.1",
        additionalPropertiesStrategy: "allow"
      })
    ] as const
  )
  return Rec.map({ ...definitions, ...lenientSchemas, ...Object.fromEntries(documents) }, withoutIds)
}

/** Effect gives every schema of unknown values the same `$id`, but an `$id` identifies one schema. */
const withoutIds = (node: unknown): unknown =>
  Array.isArray(node)
    ? node.map(withoutIds)
    : Predicate.isRecord(node)
    ? Rec.map(Rec.remove(node, "$id"), withoutIds)
    : node
