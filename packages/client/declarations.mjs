// declarations.mjs FROM TO: writes the declarations of the package, as the compiler emitted them, without those of other packages. A
// type of theirs, or of `internal`, is replaced by what it resolves to, with the comments of its members. So what an editor shows is
// plain, and a program needs neither these packages nor Effect.
//
// A type that the package exports keeps its name, also where another package has a type of that name. A type that it cannot
// write, such as an overloaded function, is an error.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import ts from "typescript"

const [, , from = ".types/src", to = "dist"] = process.argv
const folder = resolve(from)
const program = ts.createProgram({
  rootNames: ["index", "sandbox"].map((entry) => join(folder, `${entry}.d.ts`)),
  options: {
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    customConditions: ["@blockquarry/source"],
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
    types: []
  }
})
const checker = program.getTypeChecker()

/** The files that are published. */
const files = program.getSourceFiles().filter(({ fileName }) => dirname(fileName) === folder)

/** @param {ts.SourceFile} file */
const moduleOf = ({ fileName }) => `./${basename(fileName, ".d.ts")}.ts`

/** @param {ts.Symbol} symbol */
const target = (symbol) => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** @param {ts.Symbol} symbol */
const isOfLibrary = ({ declarations: [node] = [] }) =>
  node !== undefined && program.isSourceFileDefaultLibrary(node.getSourceFile())

/** @param {ts.Node} node */
const isTypeDeclaration = (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

/**
 * The modules of the exported names, and the names of the exported types, also as texts.
 *
 * @type {Map<string, string>}
 */
const modules = new Map()
/** @type {Map<ts.Symbol, string>} */
const symbols = new Map()
/** @type {Map<ts.Type | string, string>} */
const types = new Map()

for (const file of files.filter(({ fileName }) => !/\/(?:index|Errors)\.d\.ts$/.test(fileName))) collect(file)
for (const file of files) collect(file)

/** @param {ts.SourceFile} file */
function collect(file) {
  const module = checker.getSymbolAtLocation(file)
  if (module === undefined || basename(file.fileName) === "index.d.ts") return
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = target(exported)
    if (modules.has(exported.name) || !(symbol.flags & ts.SymbolFlags.Type)) continue
    modules.set(exported.name, moduleOf(file))
    symbols.set(symbol, exported.name)
    const isGeneric = symbol.declarations?.some((node) => isTypeDeclaration(node) && node.typeParameters)
    if (!isGeneric) types.set(checker.getDeclaredTypeOfSymbol(symbol), exported.name)
  }
}

/**
 * Returns the name of a symbol in the package: of an exported type, or of one of the language.
 *
 * @param {ts.Symbol | undefined} symbol
 */
const nameOf = (symbol) =>
  symbol === undefined
    ? undefined
    : symbols.get(symbol) ?? (isOfLibrary(symbol) || modules.has(symbol.name) ? symbol.name : undefined)

/**
 * Returns the doc comment of a declaration as a line or lines that end with a line break.
 *
 * @param {ts.Node | undefined} node
 */
const commentOf = (node) => {
  const comment = node === undefined ? undefined : ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  return comment === undefined ? "" : `${comment.getText().replaceAll(/\n\s*/g, "\n ")}\n`
}

/**
 * Rejects a type of which a part would be missing.
 *
 * @param {ts.Type} type
 * @param {boolean} isMissing
 * @param {string} part
 */
const rejectMissing = (type, isMissing, part) => {
  if (isMissing) throw new Error(`declarations.mjs cannot write ${part} of ${checker.typeToString(type)}`)
}

const { Conditional, Index, IndexedAccess, StringMapping, Substitution, UniqueESSymbol } = ts.TypeFlags

/** Types whose text may have names of other packages. */
const computed = Conditional | Index | IndexedAccess | StringMapping | Substitution | UniqueESSymbol

/**
 * Prints a type with the names of the package.
 *
 * @param {ts.Type} type
 * @param {boolean} [isDeclared] whether the text declares the type
 * @returns {string}
 */
const print = (type, isDeclared = false) => {
  const name = isDeclared ? undefined : types.get(type)
  if (name !== undefined) return name
  const alias = isDeclared ? undefined : nameOf(type.aliasSymbol)
  if (alias !== undefined) return withArguments(alias, type.aliasTypeArguments)
  if (type.isUnion()) return printUnion(type, isDeclared)
  if (type.isIntersection()) {
    return type.types.map((part) => print(part)).join(" & ")
  }
  if (!(type.flags & ts.TypeFlags.Object)) {
    const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    rejectMissing(type, (type.flags & computed) !== 0, "what is computed")
    return types.get(text) ?? text
  }
  const reference = "target" in type ? /** @type {ts.TypeReference} */ (type) : undefined
  if (reference !== undefined && checker.isTupleType(type)) {
    const { elementFlags } = /** @type {ts.TupleType} */ (reference.target)
    rejectMissing(type, elementFlags.some((flag) => flag !== ts.ElementFlags.Required), "optional elements")
    return `readonly [${checker.getTypeArguments(reference).map((one) => print(one)).join(", ")}]`
  }
  const symbol = isDeclared ? undefined : nameOf(type.symbol)
  if (symbol !== undefined) {
    return withArguments(symbol, reference === undefined ? [] : checker.getTypeArguments(reference))
  }
  const calls = type.getCallSignatures()
  const constructors = type.getConstructSignatures()
  const [signature] = [...calls, ...constructors]
  if (signature === undefined) return printObject(type)
  const members = type.getProperties().filter(({ name }) => name !== "prototype")
  rejectMissing(type, calls.length + constructors.length > 1, "overloads")
  rejectMissing(type, members.length > 0, "members of the function")
  rejectMissing(type, signature.typeParameters !== undefined, "type parameters")
  return `${calls.length === 0 ? "new " : ""}${printSignature(signature)}`
}

/**
 * @param {string} name
 * @param {ReadonlyArray<ts.Type>} [parameters]
 */
const withArguments = (name, parameters = []) =>
  parameters.length === 0 ? name : `${name}<${parameters.map((one) => print(one)).join(", ")}>`

/**
 * @param {ts.UnionType} type
 * @param {boolean} isDeclared
 */
const printUnion = (type, isDeclared) => {
  const parts = type.types
  const has = (/** @type {ts.TypeFlags} */ flags) => parts.some((part) => part.flags & flags)
  const open = parts.find((part) =>
    part.isIntersection() && part.types.some(({ flags }) => flags & ts.TypeFlags.String)
  )
  const literals = parts.filter((part) => part.isStringLiteral()).map((part) => print(part)).join(" | ")
  const known = (isDeclared ? undefined : types.get(literals)) ?? literals
  const others = parts.filter((part) =>
    part !== open && !part.isStringLiteral() &&
    !(part.flags & (ts.TypeFlags.BooleanLiteral | ts.TypeFlags.Null | ts.TypeFlags.Undefined))
  )
  const name = isDeclared ? undefined : types.get(checker.getNonNullableType(type))
  const present = name !== undefined ? [name] : [
    ...(open === undefined ? known === "" ? [] : [known] : [`OpenEnum<${known}>`]),
    ...others.map((part) => part.getCallSignatures().length > 0 ? `(${print(part)})` : print(part)),
    ...(has(ts.TypeFlags.BooleanLiteral) ? ["boolean"] : [])
  ]
  return [
    ...present,
    ...(has(ts.TypeFlags.Null) ? ["null"] : []),
    // A member that may be absent has another type of that name
    ...(parts.includes(checker.getUndefinedType()) ? ["undefined"] : [])
  ].join(" | ")
}

/** @param {ts.Signature} signature */
const printSignature = (signature) => {
  const parameters = signature.parameters.map((one) => {
    const node = one.valueDeclaration
    const [isOptional, isRest] = node !== undefined && ts.isParameter(node)
      ? [checker.isOptionalParameter(node), node.dotDotDotToken !== undefined]
      : [false, false]
    return `${isRest ? "..." : ""}${one.name}${isOptional ? "?" : ""}: ${print(checker.getTypeOfSymbol(one))}`
  })
  return `(${parameters.join(", ")}) => ${print(signature.getReturnType())}`
}

/**
 * Returns the members of a type in the order of their declarations, which that of a computed type is not, the discriminator first.
 *
 * @param {ts.Type} type
 */
const membersOf = (type) => {
  const members = checker.getPropertiesOfType(type).map((member) => {
    const [origin = member] = checker.getRootSymbols(member)
    return {
      member,
      node: origin.declarations?.[0],
      isDiscriminator: checker.getTypeOfSymbol(member).isStringLiteral()
    }
  })
  const sources = [...new Set(members.map(({ node }) => node?.getSourceFile()))]
  const position = (/** @type {typeof members[number]} */ { isDiscriminator, node }) =>
    isDiscriminator || node === undefined ? -1 : sources.indexOf(node.getSourceFile()) * 1e9 + node.pos
  return members.toSorted((a, b) => position(a) - position(b))
}

/** @param {ts.Type} type */
const printObject = (type) => {
  const members = membersOf(type).map(({ member, node }) => {
    const name = /^[a-z_$][\w$]*$/i.test(member.name) ? member.name : JSON.stringify(member.name)
    const mark = member.flags & ts.SymbolFlags.Optional ? "?" : ""
    return `${commentOf(node)}readonly ${name}${mark}: ${print(checker.getTypeOfSymbol(member))};\n`
  })
  const indexes = checker.getIndexInfosOfType(type).map((index) => {
    rejectMissing(type, !(index.keyType.flags & ts.TypeFlags.String), "members other than those with names")
    const name = index.declaration?.parameters[0]?.name.getText() ?? "name"
    return `readonly [${name}: string]: ${print(index.type)};\n`
  })
  return `{\n${[...members, ...indexes].join("").replaceAll(/^/gm, "    ").trimEnd()}\n}`
}

/**
 * Returns the name of a type in a node. Undefined if the type is one of another package, or of `internal`.
 *
 * @param {ts.EntityName} name
 */
const localName = (name) => {
  const symbol = checker.getSymbolAtLocation(name)
  if (symbol === undefined) return name.getText()
  const { declarations: [declaration] = [] } = target(symbol)
  if (declaration === undefined || ts.isTypeParameterDeclaration(declaration)) return name.getText()
  const isPublished = (/** @type {ts.Node} */ node) => files.includes(node.getSourceFile())
  if (isPublished(declaration)) return name.getText()
  // A name that stands for that of another package only in texts of the latter
  return isPublished(name)
    ? symbols.get(target(symbol)) ?? libraryName(name, declaration)
    : nameOf(target(symbol))
}

/**
 * @param {ts.EntityName} name
 * @param {ts.Node} declaration
 */
const libraryName = (name, declaration) =>
  program.isSourceFileDefaultLibrary(declaration.getSourceFile()) ? name.getText() : undefined

/** @param {ts.Node} node */
const nameNodeOf = (node) =>
  ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isTypeQueryNode(node)
    ? node.exprName
    : ts.isImportTypeNode(node)
    ? node.qualifier
    : undefined

/** @param {ts.Node} node */
const isForeign = (node) => {
  const name = nameNodeOf(node)
  return name !== undefined && localName(name) === undefined
}

/**
 * @param {ts.Node} node
 * @returns {boolean}
 */
const hasForeign = (node) =>
  isForeign(node) || ts.forEachChild(node, (child) => hasForeign(child) || undefined) === true

/**
 * Returns the text of a node, with its comment.
 *
 * @param {ts.Node} node
 * @returns {string}
 */
const textOf = (node) => {
  const file = node.getSourceFile()
  /** @type {Array<readonly [start: number, end: number, text: string]>} */
  const edits = []
  const visit = (/** @type {ts.Node} */ child) => {
    if (ts.isTypeNode(child) && isForeign(ts.isIndexedAccessTypeNode(child) ? child.objectType : child)) {
      edits.push([child.getStart(), child.end, print(checker.getTypeFromTypeNode(child))])
      return
    }
    const name = ts.isTypeReferenceNode(child) ? child.typeName : undefined
    const local = name && localName(name)
    if (name && local && local !== name.getText()) edits.push([name.getStart(), name.end, local])
    ts.forEachChild(child, visit)
  }
  visit(node)
  const start = node.getStart(file, true)
  const parts = edits.map(([begin, , text], index) =>
    `${file.text.slice(index === 0 ? start : edits[index - 1]?.[1], begin)}${text}`
  )
  return `${parts.join("")}${file.text.slice(edits.at(-1)?.[1] ?? start, node.end)}\n`
}

/**
 * Declares what a type of another package resolves to.
 *
 * @param {string} name
 * @param {ts.Type} type
 */
const declare = (name, type) =>
  type.flags & ts.TypeFlags.Object
    ? `export interface ${name} ${printObject(type)}\n`
    : `export type ${name} = ${print(type, true)};\n`

/**
 * Returns the text of a type that another package exports: that of its declaration, if it only uses names of this one.
 *
 * @param {string} name
 * @param {ts.Symbol} exported
 */
const copy = (name, exported) => {
  const symbol = target(exported)
  const node = symbol.declarations?.find(isTypeDeclaration)
  if (node === undefined) throw new Error(`${name} is no type`)
  return hasForeign(node)
    ? `${commentOf(node)}${declare(name, checker.getDeclaredTypeOfSymbol(symbol))}`
    : textOf(node).replace(new RegExp(`\\b(interface|type) ${symbol.name}\\b`), `$1 ${name}`)
}

/**
 * @param {ts.Statement} statement
 * @returns {string}
 */
const statementText = (statement) => {
  if (ts.isImportDeclaration(statement)) return ""
  if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined) {
    const module = statement.moduleSpecifier.getText().slice(1, -1)
    if (/^\.\/[^/]+$/.test(module)) return textOf(statement)
    const source = checker.getSymbolAtLocation(statement.moduleSpecifier)
    const { exportClause } = statement
    const all = source === undefined ? [] : checker.getExportsOfModule(source)
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) {
      return all.map((symbol) => copy(symbol.name, symbol)).join("")
    }
    return exportClause.elements.map(({ name, propertyName = name }) => {
      const symbol = all.find((symbol) => symbol.name === propertyName.text)
      if (symbol === undefined) throw new Error(`${module} has no type ${propertyName.text}`)
      return copy(name.text, symbol)
    }).join("")
  }
  if (ts.isTypeAliasDeclaration(statement) && hasForeign(statement.type)) {
    const { name, type } = statement
    const node = ts.isTypeReferenceNode(type) && type.typeArguments?.[0] || type
    const source = checker.getTypeFromTypeNode(node)
    const origin = source.aliasSymbol ?? source.symbol
    const isExported = symbols.has(checker.getSymbolAtLocation(name) ?? source.symbol)
    return isExported
      ? `${
        [statement, ...origin?.declarations ?? []].map(commentOf).find((comment) => comment !== "") ?? ""
      }${declare(name.text, checker.getTypeFromTypeNode(type))}`
      : ""
  }
  return textOf(statement)
}

// Names that are found by their texts
for (const [type, name] of [...types]) {
  if (typeof type !== "string" && !(type.flags & ts.TypeFlags.Object)) {
    const text = type.isUnion()
      ? type.types.map((part) => checker.typeToString(part)).join(" | ")
      : checker.typeToString(type)
    if (!/^[a-z]+$/.test(text)) types.set(text, name)
  }
}

// So that output of removed sources is removed too
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
for (const file of files) {
  const text = file.statements.map(statementText).join("")
  const own = moduleOf(file)
  const used = [...modules].filter(([name, module]) =>
    module !== own && basename(own) !== "index.ts" &&
    new RegExp(`(?<![\\w"'.\`])${name}\\b(?!["'?:(])`).test(text.replaceAll(/\/\*[^]*?\*\//g, ""))
  )
  const imports = [...new Set(used.map(([, module]) => module))].map((module) => {
    const names = used.flatMap(([name, from]) => from === module ? [name] : [])
    return `import type { ${names.join(", ")} } from "${module}";\n`
  })
  const references = file.referencedFiles.length + file.libReferenceDirectives.length > 0
    ? `${
      readFileSync(file.fileName, "utf8").split("\n").filter((line) => line.startsWith("///")).join("\n")
    }\n`
    : ""
  writeFileSync(
    join(to, relative(folder, file.fileName)),
    `${references}${imports.join("")}${text}`
  )
}
