/** `--jq`: a jq expression over the one stream of records. */
import * as Effect from "effect/Effect"
import { loadJq } from "jq-wasm/inline"
import { UsageError } from "../errors/CommandError.ts"
import { whileBlocking } from "../terminal/Signals.ts"
import { JsonText } from "../text/Json.ts"
import type { RecordTransform, TransformedRecords } from "./RecordList.ts"

/** The exit status for an expression that is invalid. */
const compileErrorCode = 3

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
    const run = (input: string, flags: ReadonlyArray<string> = [], definitions = "") =>
      whileBlocking(() => jq.raw(input, definitions + expression, ["-c", ...flags, "--"]))
    /** Returns whether the expression calls a function: it has an error then, and only then. */
    const calls = (...names: ReadonlyArray<string>): boolean =>
      run("", [], names.map((name) => `def ${name}: $undefined; `).join("")).exitCode === compileErrorCode
    const compiled = run("")
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

    const readsInput = calls("input", "inputs")
    // Everywhere else, records do not affect each other, and none ends the program
    const holdsRecords = readsInput || calls("input_line_number", "halt", "halt_error", "halt_error(code)")
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
