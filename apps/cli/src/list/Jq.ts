/** `--jq`: a jq expression over the one stream of records. */
import * as Effect from "effect/Effect"
import { loadJq } from "jq-wasm/inline"
import { UsageError } from "../errors/CommandError.ts"
import { whileBlocking } from "../terminal/Signals.ts"
import { JsonText } from "../text/Json.ts"
import type { RecordTransform, TransformedRecords } from "./ListJob.ts"

/** The next token of jq. A text ends with its quote, or where an expression inside it begins. */
const tokenPattern = /\s+|#.*|"(?:[^"\\]|\\[^(])*(?:"|\\\()?|[.$@]?[A-Za-z_]\w*|./gy

/** Returns the functions that a valid expression calls: the names that are not in texts or comments, nor fields, keys or variables. */
const calledFunctions = (expression: string): ReadonlySet<string> => {
  const called = new Set<string>()
  const defined = new Set<string>()
  /** The brackets that are open, and quotes of texts with an open expression. */
  const open: Array<string> = []
  let previous = ""
  let at = 0
  const next = (): string => {
    // Where an expression inside a text ends, the text continues
    const continues = expression[at] === ")" && open.at(-1) === "\""
    tokenPattern.lastIndex = continues ? 0 : at
    const source = continues ? `"${expression.slice(at + 1)}` : expression
    const [token = ""] = tokenPattern.exec(source) ?? []
    if (continues) open.pop()
    at += token.length
    return token
  }
  for (let token = next(); token !== ""; token = next()) {
    if (/^[\s#]/.test(token)) continue
    if (token.startsWith("\"")) {
      if (token.endsWith("\\(")) open.push("\"")
    } else if ("([{".includes(token)) open.push(token)
    else if (")]}".includes(token)) open.pop()
    else if (previous === "def") defined.add(token)
    else if (open.at(-1) !== "{" || !"{,".includes(previous)) called.add(token)
    previous = token
  }
  return new Set([...called].filter((name) => !defined.has(name)))
}

/** Bounds the memory for the records of an expression that reads them all: 64 MiB of JSON. */
const maxTextLength = 64 * 1024 * 1024

const tooLarge = new UsageError({
  reason: "--jq: the expression needs all records at once, but they exceed 64 MiB",
  hint: "use an expression for single records, without inputs; or limit the records with --max-items"
})

/** Returns the text of an error without the parts that concern the process of jq. */
const describe = (stderr: string): string => {
  // What `debug` prints may precede it
  const lines = stderr.split("\n")
  const line = lines.find((line) => line.startsWith("jq: ")) ?? lines[0] ?? ""
  return line.replace(/^jq: (?:parse )?error(?: \(at [^)]*\))?:? ?/, "").replace(/ at <top-level>, /, " at ")
    .replace(/:$/, "")
}

const usageError = (stderr: string): UsageError =>
  new UsageError({
    reason: `--jq: ${describe(stderr)}`,
    hint: "see the fields of a record with --fields help, and the language at https://jqlang.org/manual"
  })

/** jq rejects lone surrogates. */
const toInput = (record: unknown): string =>
  JSON.stringify(record, (_, value: unknown) => typeof value === "string" ? value.toWellFormed() : value)

const toResults = (stdout: string): ReadonlyArray<JsonText> =>
  stdout === "" ? [] : stdout.split("\n").map((line) => new JsonText(line))

/** Compiles an expression. Fails with its position if it is invalid. */
export const makeJq = (expression: string): Effect.Effect<RecordTransform, UsageError> =>
  Effect.gen(function*() {
    const jq = yield* Effect.promise(() => loadJq())
    const run = (input: string, flags: ReadonlyArray<string> = []) =>
      whileBlocking(() => jq.raw(input, expression, ["-c", ...flags, "--"]))
    const compiled = run("")
    const compileErrorCode = 3
    if (compiled.exitCode === compileErrorCode) return yield* usageError(compiled.stderr)

    const transformAll = (
      records: ReadonlyArray<string>,
      flags: ReadonlyArray<string>
    ): TransformedRecords => {
      const { exitCode, stderr, stdout } = run(records.join("\n"), flags)
      // The exit code is that of the last record
      const hasFailed = exitCode !== 0 || /^jq: error/m.test(stderr)
      return { values: toResults(stdout), error: hasFailed ? usageError(stderr) : null }
    }

    const transformEach = (records: ReadonlyArray<string>): TransformedRecords => {
      const all = transformAll(records, [])
      if (all.error === null) return all
      // jq continues after the record that fails. The results end there for every size of pages
      const values: Array<unknown> = []
      for (const record of records) {
        const single = transformAll([record], [])
        values.push(...single.values)
        if (single.error !== null) return { values, error: single.error }
      }
      return { values, error: null }
    }

    const called = calledFunctions(expression)
    const readsInput = called.has("input") || called.has("inputs")
    // Everywhere else, records do not affect each other, and none ends the program
    const holdsRecords = readsInput ||
      ["input_line_number", "halt", "halt_error"].some((name) => called.has(name))
    const held: Array<string> = []
    let length = 0
    const hold = (records: ReadonlyArray<string>) => {
      held.push(...records)
      for (const text of records) length += text.length
      return length > maxTextLength ? tooLarge : Effect.succeed({ values: [], error: null })
    }
    return {
      fields: null,
      holdsRecords,
      apply: (records) =>
        Effect.suspend(() => {
          const texts = records.map(toInput)
          return holdsRecords ? hold(texts) : Effect.succeed(transformEach(texts))
        }),
      end: Effect.sync(() =>
        holdsRecords ? transformAll(held, readsInput ? ["-n"] : []) : { values: [], error: null }
      ),
      status: Effect.void
    }
  })
