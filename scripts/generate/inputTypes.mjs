/** The inputs of the operations as types. */

/** @typedef {import("../../packages/core/src/Operation.ts").AnyOperation} Operation */
/** @typedef {import("effect/SchemaAST").AST} AST */

const identifierId = Symbol.for("effect/annotation/Identifier")
const jsonSchemaId = Symbol.for("effect/annotation/JSONSchema")

/**
 * Types by the identifier of the schema. Others follow from the JSON Schema.
 *
 * @type {Readonly<Record<string, string>>}
 */
const names = {
  Chain: "ChainInput",
  TokenId: "string | bigint",
  TimeInput: "TimeInput",
  TimeOrEpochSeconds: "TimeInput | number"
}

/**
 * How callers write the values of a parameter.
 *
 * @param {AST} ast
 * @returns {string}
 */
const typeOf = (ast) => {
  if (ast._tag === "Transformation") return typeOf(ast.to)
  if (ast._tag === "TupleType" && ast.rest[0] !== undefined) {
    return `ReadonlyArray<${typeOf(ast.rest[0].type)}>`
  }
  const name = names[String(ast.annotations[identifierId])]
  if (name !== undefined) return name
  const { enum: values, type } = Object(ast.annotations[jsonSchemaId])
  if (values !== undefined) {
    return values.map((/** @type {string} */ value) => JSON.stringify(value)).join(" | ")
  }
  if (type === "integer") return "number"
  if (type !== "string" && type !== "number" && type !== "boolean") {
    throw new Error(
      `no type of a parameter with the schema ${ast._tag}; add it in scripts/generate/inputTypes.mjs`
    )
  }
  return type
}

/**
 * @param {AST} ast of an input
 * @returns {ReadonlyMap<string, AST>}
 */
const parametersOf = (ast) => {
  if (ast._tag === "Transformation") return parametersOf(ast.to)
  if (ast._tag === "Refinement") return parametersOf(ast.from)
  return new Map(
    ast._tag === "TypeLiteral" ? ast.propertySignatures.map(({ name, type }) => [String(name), type]) : []
  )
}

const bounds = ["from_block", "from_date", "to_block", "to_date"]

/** @param {string} id of an operation */
const inputName = (id) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Input`

/**
 * Returns the declaration of the input of an operation.
 *
 * @param {Operation} operation
 */
export const inputType = ({ id, input, parameters }) => {
  const types = parametersOf(input.ast)
  const printType = (/** @type {string} */ name) => {
    const ast = types.get(name)
    if (ast === undefined) throw new Error(`${id}: no schema of ${name}`)
    return typeOf(ast)
  }
  const hasRange = bounds.every((name) => types.has(name))
  const members = parameters.filter(({ name }) => !hasRange || !bounds.includes(name))
    .map(({ description, name, required }) =>
      `/** ${description} */\nreadonly ${name}${required ? ": " : "?: "}${printType(name)}${
        required ? "" : " | undefined"
      }\n`
    ).join("")
  const name = inputName(id)
  return `/** The input of \`${id}\`. */
export ${
    hasRange
      ? `type ${name} = BlockOrDateRangeInput<${printType("from_date")}> & {\n${members}}`
      : `interface ${name} {\n${members}}`
  }
`
}
