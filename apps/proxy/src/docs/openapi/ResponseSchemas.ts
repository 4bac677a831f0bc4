/** What the service answers, as JSON Schema. */
import type { Operation } from "@blockquarry/core/Operation"
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"

export type JsonObject = { readonly [member: string]: unknown }

/** What describing an operation needs of it. */
export type DescribedOperation =
  & Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters" | "docs">
  & {
    readonly output: Schema.Schema.AnyNoContext
  }

const integers = [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }]
const numbers = [{ type: "number" }, { type: "string" }]

/** Leaves that services spell in more than one way, by the name of their schema. */
const lenientSchemas = {
  Integer: { anyOf: integers },
  Amount: { anyOf: integers, description: "a whole number of up to 256 bits; read it without loss" },
  TokenId: {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: "up to 256 bits; read it without loss"
  },
  Decimal: { anyOf: numbers },
  Float: { anyOf: numbers },
  BooleanLike: { anyOf: [{ type: "boolean" }, { enum: ["true", "false", 0, 1] }] },
  Cursor: { anyOf: [{ type: "string" }, { type: "integer" }] },
  Time: { type: "string", description: "ISO 8601, with or without milliseconds and zone; no zone means UTC" }
}

export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** `WalletTransfersAnswer` and the like. */
export const responseSchemaName = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`

/** The schemas of every operation's answers, and of what they are made of. */
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
  return { ...definitions, ...lenientSchemas, ...Object.fromEntries(documents) }
}
