/** Fields of types with their documentation, as editors show them: from the declarations of the packages. */
import { createRequire } from "node:module"
import type * as ts from "typescript"

// Not bundled: it finds the declarations of the language beside its file
const typescript: typeof ts = createRequire(import.meta.url)("typescript")

export interface Field {
  readonly name: string
  /** As in TypeScript. */
  readonly type: string
  /** Documentation of the declaration; empty if it has none. */
  readonly description: string
  /** Fields of the object, or of the objects in the list, that the field contains. */
  readonly fields: ReadonlyArray<Field>
}

export interface Model {
  readonly fields: ReadonlyArray<Field>
  /** For a union of objects, the further fields of each by the value of `type`. */
  readonly variants: ReadonlyArray<{ readonly name: string; readonly fields: ReadonlyArray<Field> }>
}

const isReference = (type: ts.Type): type is ts.TypeReference => "target" in type

/** Names of scalar types that the documentation prints without their declarations. */
const opaque =
  /^(Utc|BigDecimal|JsonValue|Address|Hash|OpenEnum<.*>|bigint|string|number|boolean|null|undefined)$/s

/** Reads the model that each exported operation of a module returns, by the name of the operation. */
export const responseModels = (module: string): ReadonlyMap<string, Model> => {
  const program = typescript.createProgram({
    rootNames: [module],
    options: {
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      module: typescript.ModuleKind.NodeNext,
      moduleResolution: typescript.ModuleResolutionKind.NodeNext,
      target: typescript.ScriptTarget.ES2022,
      lib: ["lib.es2024.d.ts"],
      types: []
    }
  })
  const checker = program.getTypeChecker()

  const typeArguments = (type: ts.Type): ReadonlyArray<ts.Type> =>
    isReference(type) ? checker.getTypeArguments(type) : []

  const members = (type: ts.Type): ReadonlyArray<ts.Type> => type.isUnion() ? type.types : [type]

  const typeText = (type: ts.Type): string =>
    checker.typeToString(type, undefined, typescript.TypeFormatFlags.NoTruncation)

  /** The object that a field contains, directly or in a list; undefined if the field is a scalar. */
  const contained = (type: ts.Type): ts.Type | undefined => {
    const objects = members(type).filter((member) => (member.flags & typescript.TypeFlags.Object) !== 0)
    const [object] = objects
    if (object === undefined || objects.length > 1 || opaque.test(typeText(type).replace(/ \| null$/, ""))) {
      return undefined
    }
    if (opaque.test(typeText(object))) return undefined
    if (!checker.isArrayType(object)) return checker.isTupleType(object) ? undefined : object
    const [element] = typeArguments(object)
    return element === undefined ? undefined : contained(element)
  }

  const shortText = (type: ts.Type): string => {
    const text = typeText(type).replaceAll(/readonly (?=\S+\[\])/g, "")
    if (contained(type) === undefined) return text
    const list = members(type).some((member) => checker.isArrayType(member))
    const nullable = members(type).some((member) => (member.flags & typescript.TypeFlags.Null) !== 0)
    return `${list ? "object[]" : "object"}${nullable ? " | null" : ""}`
  }

  const toField = (symbol: ts.Symbol): Field => {
    const type = checker.getTypeOfSymbol(symbol)
    const inner = contained(type)
    return {
      name: symbol.name,
      type: shortText(type),
      description: typescript.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(
        "\n",
        " "
      ),
      fields: inner === undefined ? [] : fieldsOf(inner)
    }
  }

  const position = (symbol: ts.Symbol): number => symbol.declarations?.[0]?.pos ?? 0

  const fieldsOf = (type: ts.Type): ReadonlyArray<Field> =>
    type.getProperties().toSorted((a, b) => position(a) - position(b)).map(toField)

  const modelOf = (type: ts.Type): Model => {
    const fields = fieldsOf(type)
    if (!type.isUnion()) return { fields, variants: [] }
    const common = new Set(fields.map(({ name }) => name))
    return {
      fields,
      variants: type.types.map((member) => {
        const all = fieldsOf(member)
        const name = all.find((field) => field.name === "type")?.type ?? ""
        return {
          name: name.replaceAll("\"", ""),
          fields: all.filter((field) => !common.has(field.name))
        }
      })
    }
  }

  const source = program.getSourceFile(module)
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (symbol === undefined) throw new Error(`${module}: not a module`)
  const models = checker.getExportsOfModule(symbol).flatMap((exported): ReadonlyArray<[string, Model]> => {
    const target = (exported.flags & typescript.SymbolFlags.Alias) === 0
      ? exported
      : checker.getAliasedSymbol(exported)
    if ((target.flags & typescript.SymbolFlags.Variable) === 0) return []
    const type = checker.getTypeOfSymbol(target)
    if (!/^(List)?Operation$/.test(type.getSymbol()?.name ?? "")) return []
    const output = typeArguments(type)[2]
    return output === undefined ? [] : [[exported.name, modelOf(output)]]
  })
  return new Map(models)
}
