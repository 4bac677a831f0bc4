// regexps.mjs [FOLDER…]: proves that every regular expression in `src` of all packages, or in these folders, takes linear time for
// any text. An expression for which there is no proof fails the check.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { checkSync } from "recheck"
import { parseAst } from "rolldown/parseAst"
import { transformSync } from "rolldown/utils"

// The engine in JavaScript
process.env["RECHECK_SYNC_BACKEND"] = "pure"

const timeout = 10_000

/** Values of parameters of functions that build expressions. */
const parameters = { depth: 0, digits: 40, name: "value", path: "/a/:b/c/*" }

const neverMatches = String.raw`[^\s\S]`

/**
 * Splits an expression into the part without assertions about the text around it, and the contents of its lookarounds.
 *
 * @param {string} pattern
 */
const splitAssertions = (pattern) => {
  /** @type {Array<string>} */
  const lookarounds = []
  const groups = [{ start: "", content: "" }]
  for (const [token] of pattern.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|\(\?<?[=!]|[^]/gsu)) {
    const [current = { start: "", content: "" }, outer] = groups
    if (token.startsWith("(")) groups.unshift({ start: token, content: "" })
    else if (token !== ")" || outer === undefined) current.content += token === "$" ? "(?:)" : token
    else {
      groups.shift()
      if (current.start !== "(") lookarounds.push(current.content)
      outer.content += current.start === "(" ? `(${current.content})` : "(?:)"
    }
  }
  return { consumed: groups[0]?.content ?? "", lookarounds }
}

/** @param {string} pattern */
const isUnbounded = (pattern) => /[*+]|\{\d+,\}/.test(pattern.replace(/\\.|\[(?:\\.|[^\\\]])*\]/gsu, "x"))

/**
 * Returns why an expression may take more than linear time, or null if it cannot.
 *
 * @param {string} pattern
 * @param {string} flags
 * @returns {string | null}
 */
const problemOf = (pattern, flags) => {
  /** @param {string} checked */
  const check = (checked) =>
    checkSync(checked, flags.replace(/[dgy]/g, ""), { checker: "automaton", timeout })
  const { consumed, lookarounds } = splitAssertions(pattern)
  const unbounded = lookarounds.find(isUnbounded)
  if (unbounded !== undefined) {
    return `a lookaround of any length is read again at every position: ${unbounded}`
  }
  for (const lookaround of lookarounds) {
    const problem = problemOf(lookaround, flags)
    if (problem !== null) return problem
  }
  // Sound whatever assertions say: even a search that always fails in the end is linear
  if (check(`(?:${consumed})${neverMatches}`).status === "safe") return null
  if (lookarounds.length > 0) return "without its lookarounds it takes more than linear time"
  // Repeated searches of one text, in which a match ends the work at its positions
  const result = check(String.raw`^(?:(?:${pattern})|[\s\S])*`)
  return result.status === "safe"
    ? null
    : result.status === "vulnerable"
    ? `${result.complexity.summary} time, for example for ${result.attack.pattern}`
    : `no proof: ${
      result.error.kind === "timeout" ? `timeout of ${timeout / 1000} s` : JSON.stringify(result.error)
    }`
}

/** @type {Map<string, string | null>} */
const problems = new Map()

/**
 * @param {string} pattern
 * @param {string} flags
 */
const rememberedProblemOf = (pattern, flags) => {
  const key = `/${pattern}/${flags}`
  const problem = problems.has(key) ? problems.get(key) ?? null : problemOf(pattern, flags)
  problems.set(key, problem)
  return problem
}

/**
 * A node of a syntax tree, with the members that are read here.
 *
 * @typedef {{
 *   type: string, start: number, end: number, name?: string, regex?: { pattern: string, flags: string },
 *   id?: { name?: string }, init?: unknown, callee?: Node, arguments?: Array<Node>
 * }} Node
 */

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === "object" && value !== null && "type" in value && "start" in value

/**
 * @param {unknown} value
 * @returns {Array<Node>}
 */
const nodesIn = (value) =>
  Array.isArray(value)
    ? value.flatMap(nodesIn)
    : typeof value === "object" && value !== null
    ? [...isNode(value) ? [value] : [], ...Object.values(value).flatMap(nodesIn)]
    : []

/**
 * Evaluates the arguments of `new RegExp` with the constants of its module.
 *
 * @param {string} text
 * @param {Array<Node>} args
 * @param {Map<string, Node>} constants
 * @returns {RegExp}
 */
const evaluate = (text, args, constants) => {
  /** @type {Set<Node>} */
  const needed = new Set()
  /** @param {unknown} value */
  const collect = (value) => {
    for (const { name = "", type } of nodesIn(value)) {
      const constant = type === "Identifier" ? constants.get(name) : undefined
      if (constant === undefined || needed.has(constant)) continue
      needed.add(constant)
      collect(constant.init)
    }
  }
  collect(args)
  const source = (/** @type {Node} */ { end, start }) => text.slice(start, end)
  const statements = [...needed].sort((one, other) => one.start - other.start).map((node) =>
    `const ${source(node)}`
  )
  const { code } = transformSync(
    "constants.ts",
    `export default (${Object.keys(parameters)}) => { ${statements.join("\n")}; return new RegExp(${
      args.map(source)
    }) }`
  )
  return new Function(`return ${code.replace("export default", "")}`)()(...Object.values(parameters))
}

/**
 * Returns the regular expressions of a module for which there is no proof.
 *
 * @param {string} file
 * @param {string} text
 */
export const problemsIn = (file, text) => {
  const program = parseAst(text, { lang: "ts" }, file)
  const nodes = nodesIn(program)
  const constants = new Map(
    program.body.flatMap((statement) => {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
      return declaration?.type === "VariableDeclaration"
        ? declaration.declarations.flatMap((/** @type {Node} */ node) =>
          node.id?.name === undefined ? [] : [
            /** @type {const} */ ([node.id.name, node])
          ]
        )
        : []
    })
  )
  return nodes.flatMap((node) => {
    const isBuilt = /^(?:New|Call)Expression$/.test(node.type) && node.callee?.name === "RegExp"
    if (node.regex === undefined && !isBuilt) return []
    /** @param {string} expression @param {string | null} problem */
    const found = (expression, problem) =>
      problem === null ? [] : [{ line: text.slice(0, node.start).split("\n").length, expression, problem }]
    if (node.regex !== undefined) {
      const { flags, pattern } = node.regex
      return found(`/${pattern}/${flags}`, rememberedProblemOf(pattern, flags))
    }
    try {
      const expression = evaluate(text, node.arguments ?? [], constants)
      return found(String(expression), rememberedProblemOf(expression.source, expression.flags))
    } catch (error) {
      return found(
        text.slice(node.start, node.end),
        `not built from constants of its module and the parameters in scripts/regexps.mjs: ${error}`
      )
    }
  })
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const sources = () =>
  ["apps", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name, "src"))
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folders = process.argv.length > 2 ? process.argv.slice(2) : sources()
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = join(folder, name)
      if (!/\.[cm]?[jt]s$/.test(name) || !statSync(file).isFile()) continue
      for (const { expression, line, problem } of problemsIn(file, readFileSync(file, "utf8"))) {
        console.log(`${relative(process.cwd(), file)}:${line}: ${expression}\n  ${problem}`)
        process.exitCode = 1
      }
    }
  }
}
