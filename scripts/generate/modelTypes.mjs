/** The models as types without types of Effect: times are `Date`, decimals are strings, addresses and hashes have no brand. */
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { comment } from "./comment.mjs"
import { modulesIn } from "./descriptions.mjs"

// TypeScript 7 has no interface for programs
/** @type {typeof import("../../site/node_modules/typescript/lib/typescript.d.ts")} */
const ts = createRequire(new URL("../../site/package.json", import.meta.url))("typescript")

/** @typedef {import("../../site/node_modules/typescript/lib/typescript.d.ts").Type} Type */
/** @typedef {import("../../site/node_modules/typescript/lib/typescript.d.ts").Symbol} Symbol */

/**
 * @param {Type} type
 * @returns {type is import("../../site/node_modules/typescript/lib/typescript.d.ts").TypeReference}
 */
const isReference = (type) => "target" in type

/** @type {ReadonlyMap<string | undefined, string>} */
const plainNames = new Map([
  ["Utc", "Date"],
  ["Duration", "number"],
  ["DurationInput", "Duration"],
  ["BigDecimal", "string"],
  ["Address", "Hex"],
  ["Hash", "Hex"]
])

/** The types of these fields of errors have names. */
const summaries = new Map([["request", "RequestSummary"], ["response", "ResponseSummary | null"]])

/** The types of these options have names of operations. */
const optionTypes = new Map([
  ["cost", "{ readonly [Id in OperationId]?: number } | number"],
  ["onPage", "((repeats: PageRepeats) => void)"]
])

/**
 * Reads the types of the sources.
 *
 * @param {string} packages the folder of the packages
 * @param {ReadonlyArray<string>} chains the names of all chains
 */
export const readModelTypes = (packages, chains) => {
  const core = join(packages, "core/src")
  const models = modulesIn(join(core, "model"))
  const operations = modulesIn(join(core, "operations"))
  const program = ts.createProgram({
    rootNames: [
      ...["ApiRequest", "OperationError"].map((name) => join(core, `${name}.ts`)),
      ...models.map((name) => join(core, "model", `${name}.ts`)),
      ...operations.map((name) => join(core, "operations", `${name}.ts`)),
      ...["http/src/ApiOptions.ts", "http/src/Pagination.ts", "sandbox/src/Sandbox.ts"].map((file) =>
        join(packages, file)
      )
    ],
    options: {
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      customConditions: ["@blockquarry/source"],
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2024.d.ts"],
      types: []
    }
  })
  const checker = program.getTypeChecker()

  /** @param {Type} type */
  const typeArguments = (type) => isReference(type) ? checker.getTypeArguments(type) : []

  /**
   * @param {string} module
   * @param {string} folder
   */
  const exportsOf = (module, folder = core) => {
    const source = program.getSourceFile(join(folder, `${module}.ts`))
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${module}: not a module`)
    return new Map(checker.getExportsOfModule(symbol).map((exported) => [exported.name, exported]))
  }

  const jsonValue = exportsOf("LosslessJson").get("JsonValue")
  if (jsonValue === undefined) throw new Error("LosslessJson has no type JsonValue")
  const jsonType = checker.getDeclaredTypeOfSymbol(jsonValue)

  /** @param {Symbol} symbol */
  const isModelType = (symbol) =>
    symbol.declarations?.some((node) =>
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
      basename(dirname(node.getSourceFile().fileName)) === "model"
    ) === true

  /**
   * @param {Type} type
   * @param {string} prefix of the names of models
   */
  const nameOf = (type, prefix = "") => {
    const symbol = type.aliasSymbol ?? type.getSymbol()
    return plainNames.get(symbol?.name) ??
      (symbol !== undefined && isModelType(symbol) ? `${prefix}${symbol.name}` : undefined)
  }

  /**
   * @param {Type} type
   * @param {string} prefix
   * @returns {string}
   */
  const print = (type, prefix = "") => {
    const name = nameOf(type, prefix)
    if (name !== undefined) return name
    if (checker.isTypeAssignableTo(jsonType, type)) return "JsonValue"
    if (type.isUnion()) return printUnion(type.types, prefix)
    if (type.isStringLiteral()) return JSON.stringify(type.value)
    if (
      type.flags & (ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.Boolean | ts.TypeFlags.BigInt)
    ) {
      return checker.typeToString(type)
    }
    const [argument] = typeArguments(type)
    if (argument !== undefined && (checker.isArrayType(type) || checker.isTupleType(type))) {
      return `ReadonlyArray<${print(argument, prefix)}>`
    }
    const symbol = type.getSymbol()?.name ?? ""
    if (argument !== undefined && /Page$/.test(symbol)) return `${symbol}<${print(argument, prefix)}>`
    if (type.getProperties().length === 0) throw new Error(`${checker.typeToString(type)}: no plain type`)
    return printObject(type, prefix)
  }

  /**
   * @param {ReadonlyArray<Type>} types
   * @param {string} prefix
   */
  const printUnion = (types, prefix) => {
    const literals = types.flatMap((type) => type.isStringLiteral() ? [type.value] : [])
    const isOpen = types.some((type) => type.isIntersection() && nameOf(type) === undefined)
    const others = types.filter((type) =>
      !type.isStringLiteral() && !(type.isIntersection() && isOpen) &&
      !(type.flags & (ts.TypeFlags.BooleanLiteral | ts.TypeFlags.Null | ts.TypeFlags.Undefined))
    )
    const known = literals.length === chains.length && chains.every((chain) => literals.includes(chain))
      ? ["ChainName"]
      : literals.map((literal) => JSON.stringify(literal))
    return [
      ...(isOpen ? [`OpenEnum<${known.join(" | ")}>`] : known),
      ...others.map((type) => print(type, prefix)),
      ...(types.some(({ flags }) => flags & ts.TypeFlags.BooleanLiteral) ? ["boolean"] : []),
      ...(types.some(({ flags }) => flags & ts.TypeFlags.Null) ? ["null"] : [])
    ].join(" | ")
  }

  /**
   * Returns the documentation of the first declaration: a model has the name of its schema.
   *
   * @param {Symbol} symbol
   */
  const documentationOf = ({ declarations: [node] = [] }) => {
    const [documentation] = node === undefined ? [] : ts.getJSDocCommentsAndTags(node)
    return (documentation && ts.getTextOfJSDocComment(documentation.comment)) ?? ""
  }

  /** @param {Symbol} symbol */
  const descriptionOf = (symbol) => documentationOf(symbol).replaceAll(/\s+/g, " ")

  /**
   * Returns the fields in the order of their declarations, the discriminator first.
   *
   * @param {Type} type
   */
  const fieldsOf = (type) => {
    const position = (/** @type {Symbol} */ symbol) => {
      const [node] = symbol.declarations ?? []
      const isDiscriminator = checker.getTypeOfSymbol(symbol).isStringLiteral()
      return isDiscriminator || node === undefined ? -1 : files.indexOf(node.getSourceFile()) * 1e9 + node.pos
    }
    const files = [
      ...new Set(type.getProperties().map(({ declarations: [node] = [] }) => node?.getSourceFile()))
    ]
    return type.getProperties().toSorted((a, b) => position(a) - position(b))
  }

  /**
   * @param {Type} type
   * @param {string} prefix
   */
  const printObject = (type, prefix) =>
    printFields(type, (symbol) => [isOptional(symbol), print(checker.getTypeOfSymbol(symbol), prefix)])

  /**
   * Prints options, which may all be omitted: also their members.
   *
   * @param {Type} type
   * @param {ReadonlyArray<string>} required
   * @returns {string}
   */
  const printOptions = (type, required) =>
    printFields(type, (symbol) => {
      const member = checker.getTypeOfSymbol(symbol)
      const text = optionTypes.get(symbol.name) ??
        (nameOf(member) === undefined && member.flags & ts.TypeFlags.Object
          ? printOptions(member, [])
          : print(member))
      return required.includes(symbol.name) ? [false, text] : [true, `${text} | undefined`]
    })

  /** @param {Symbol} symbol */
  const isOptional = (symbol) => (symbol.flags & ts.SymbolFlags.Optional) !== 0

  /**
   * @param {Type} type
   * @param {(symbol: Symbol) => readonly [isOptional: boolean, type: string]} printField
   */
  const printFields = (type, printField) =>
    `{\n${
      fieldsOf(type).map((symbol) => {
        const [isOmittable, text] = printField(symbol)
        const name = /^\w+$/.test(symbol.name) && !/^\d/.test(symbol.name)
          ? symbol.name
          : JSON.stringify(symbol.name)
        return `${commentOf(symbol)}readonly ${name}${isOmittable ? "?" : ""}: ${text}\n`
      }).join("")
    }${
      checker.getIndexInfosOfType(type).map((index) => `readonly [member: string]: ${print(index.type)}\n`)
        .join("")
    }}`

  /**
   * Returns the comment of a field, with its list if it has one.
   *
   * @param {Symbol} symbol
   */
  const commentOf = (symbol) => {
    const documentation = documentationOf(symbol)
    if (documentation === "") return ""
    return documentation.includes("\n- ")
      ? `/**\n${documentation.replaceAll(/^/gm, " * ")}\n */\n`
      : comment(descriptionOf(symbol))
  }

  /**
   * @param {string} folder of a package
   * @param {string} module
   * @param {string} name
   */
  const exportOf = (folder, module, name) => {
    const symbol = exportsOf(module, join(packages, folder, "src")).get(name)
    if (symbol === undefined) throw new Error(`${folder}/src/${module} has no export ${name}`)
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  return {
    /**
     * Returns what an operation returns, and its records if it is a list.
     *
     * @param {string} id
     */
    resultOf: (id) => {
      const symbol = exportsOf(`operations/${id}`).get(id)
      if (symbol === undefined) throw new Error(`operations/${id} has no export ${id}`)
      const [, , output, , item] = typeArguments(checker.getTypeOfSymbol(symbol))
      if (output === undefined) throw new Error(`${id}: not an operation`)
      return { output: print(output, "Models."), item: item === undefined ? null : print(item, "Models.") }
    },

    /**
     * Returns the declaration of a plain type as it is in the sources, with addresses and hashes without brand.
     *
     * @param {string} folder of a package
     * @param {string} module
     * @param {string} name
     */
    declarationOf: (folder, module, name) => {
      const { declarations: [node] = [] } = exportOf(folder, module, name)
      if (node === undefined) throw new Error(`${name} has no declaration`)
      return `${node.getFullText().trim().replaceAll(/: (?:Address|Hash)$/gm, ": Hex")}\n`
    },

    /**
     * Returns an interface with the fields of a type. With `required`, the others may be omitted, and undefined.
     *
     * @param {string} folder of a package
     * @param {string} module
     * @param {string} name
     * @param {ReadonlyArray<string>} [required]
     */
    interfaceOf: (folder, module, name, required) => {
      const symbol = exportOf(folder, module, name)
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      return {
        description: descriptionOf(symbol),
        text: required === undefined ? printObject(type, "") : printOptions(type, required)
      }
    },

    /** The classes of errors, each with its fields. */
    errors: [...exportsOf("OperationError").values()].flatMap((symbol) => {
      const type = checker.getTypeOfSymbol(symbol)
      const fields = type.getProperty("fields")
      if (!symbol.name.endsWith("Error") || fields === undefined) return []
      const error = checker.getDeclaredTypeOfSymbol(symbol)
      return [{
        name: symbol.name,
        documentation: documentationOf(symbol),
        fields: checker.getTypeOfSymbol(fields).getProperties().flatMap((field) => {
          const property = error.getProperty(field.name)
          if (property === undefined || field.name === "_tag") return []
          const fieldType = checker.getTypeOfSymbol(property)
          const isDuration = nameOf(checker.getNonNullableType(fieldType)) === "number"
          const text = descriptionOf(field)
          return [{
            name: field.name,
            description: isDuration ? text.replace(".", ", in milliseconds.") : text,
            type: summaries.get(field.name) ?? print(fieldType)
          }]
        })
      }]
    }),

    /** The models, each with the types of its module, and the type of its example. */
    models: models.map((module) => {
      const exported = exportsOf(`model/${module}`)
      const types = [...exported.values()].filter((symbol) =>
        isModelType(symbol) && !symbol.name.endsWith("Encoded")
      )
      const example = exported.get("example")
      const signature = example && checker.getTypeOfSymbol(example).getCallSignatures()[0]
      if (signature === undefined) throw new Error(`model/${module} has no function example`)
      return {
        name: module,
        example: print(signature.getReturnType()),
        types: types.map((symbol) => {
          const type = checker.getDeclaredTypeOfSymbol(symbol)
          return {
            name: symbol.name,
            description: descriptionOf(symbol),
            text: type.isUnion()
              ? `export type ${symbol.name} = ${printUnion(type.types, "")}`
              : `export interface ${symbol.name} ${printObject(type, "")}`
          }
        })
      }
    })
  }
}
