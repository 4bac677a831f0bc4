// regexps.mjs [FOLDER…]: proves that every regular expression in `src` of all packages, or in these folders, takes linear time for
// any text. Prints the expressions for which there is no proof, and fails then.
import { readdirSync, readFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { checkSync } from "recheck"
import { parseAst } from "rolldown/parseAst"
import { transformSync } from "rolldown/utils"

/** Parameters of functions that build expressions, with examples of their values. */
const parameters = { depth: 0, digits: 40, name: "value", path: "/a/:b/c/*" }

/** The engine of `recheck` in JavaScript. */
process.env["RECHECK_SYNC_BACKEND"] = "pure"

/**
 * @param {string} pattern
 * @param {string} flags
 */
const checkAutomaton = (pattern, flags) =>
  checkSync(pattern, flags.replace(/[dgy]/g, ""), { checker: "automaton", timeout: 100_000 })

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
 * @param {RegExp} expression
 * @returns {string | null}
 */
const problemOf = ({ flags, source }) => {
  const { consumed, lookarounds } = splitAssertions(source)
  const unbounded = lookarounds.find(isUnbounded)
  if (unbounded !== undefined) {
    return `a lookaround of any length is read again at every position: ${unbounded}`
  }
  // Without assertions the search can only take longer: if one that always fails at the end is linear, so is the original
  if (checkAutomaton(String.raw`(?:${consumed})[^\s\S]`, flags).status === "safe") return null
  if (lookarounds.length > 0) return "without its lookarounds it takes more than linear time"
  // Repeated searches of one text, in which a match ends the work at its positions
  const result = checkAutomaton(String.raw`^(?:(?:${source})|[\s\S])*`, flags)
  return result.status === "safe"
    ? null
    : result.status === "vulnerable"
    ? `${result.complexity.summary} time, for example for ${result.attack.pattern}`
    : `no proof: ${JSON.stringify(result.error)}`
}

/**
 * Returns a function that makes an expression from its code, with the constants of its module.
 *
 * @param {string} file
 * @param {string} text
 * @returns {(code: string) => RegExp}
 */
const evaluatorOf = (file, text) => {
  const scope = { ...parameters }
  /** @param {string} code */
  const evaluate = (code) => new Function("scope", `with (scope) return (${code})`)(scope)
  // A whole path would find a configuration of TypeScript
  const { code } = transformSync(basename(file), text)
  for (const statement of parseAst(code).body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    for (const { id, init } of declaration?.type === "VariableDeclaration" ? declaration.declarations : []) {
      if (id.type !== "Identifier" || init === null) continue
      Object.defineProperty(scope, id.name, { get: () => evaluate(code.slice(init.start, init.end)) })
    }
  }
  return evaluate
}

/**
 * Returns the nodes of a syntax tree that are regular expressions: literals, and calls of `RegExp`.
 *
 * @param {object} node
 * @returns {Array<object>}
 */
const expressionsIn = (node) => {
  const isBuilt = "callee" in node && node.callee instanceof Object && "name" in node.callee &&
    node.callee.name === "RegExp"
  const inside = Object.values(node).flatMap((value) => value instanceof Object ? expressionsIn(value) : [])
  return isBuilt || "regex" in node ? [node, ...inside] : inside
}

/**
 * Returns the regular expressions of a module for which there is no proof.
 *
 * @param {string} file
 * @param {string} text
 */
const problemsIn = (file, text) => {
  const evaluate = evaluatorOf(file, text)
  return expressionsIn(parseAst(text, { lang: "ts" }, file)).map((node) => {
    const [start, end] = "start" in node && "end" in node ? [Number(node.start), Number(node.end)] : []
    const code = text.slice(start, end)
    const line = text.slice(0, start).split("\n").length
    try {
      const expression = evaluate(code)
      return { line, expression: String(expression), problem: problemOf(expression) }
    } catch (error) {
      const expected = "expected constants of its module and the parameters in scripts/regexps.mjs"
      return { line, expression: code, problem: `${expected}: ${error}` }
    }
  }).filter(({ problem }) => problem !== null)
}

const sources = () =>
  ["apps", "packages"].map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url))).flatMap((
    folder
  ) => readdirSync(folder).map((name) => join(folder, name, "src")))

for (const folder of process.argv.length > 2 ? process.argv.slice(2) : sources()) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.[cm]?[jt]s$/.test(name)) continue
    const file = join(folder, name)
    for (const { expression, line, problem } of problemsIn(file, readFileSync(file, "utf8"))) {
      console.log(`${relative(process.cwd(), file)}:${line}: ${expression}\n  ${problem}`)
      process.exitCode = 1
    }
  }
}
