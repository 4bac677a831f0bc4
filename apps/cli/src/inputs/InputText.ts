/** Reads inputs from a file or stdin, one at a time. */
import { type LosslessJsonError, parse as parseJson } from "@blockquarry/core/LosslessJson"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { constants, createReadStream, openSync } from "node:fs"
import { stat } from "node:fs/promises"
import { Socket } from "node:net"
import { stdinArgument } from "../args/ArgumentValues.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { UsageError } from "../errors/CommandError.ts"
import { errorCode, systemFailure } from "../errors/SystemError.ts"
import { valueAt } from "../formats/RecordFields.ts"

/** The standard input. Default: that of the process. */
export class StandardInput extends Context.Reference<StandardInput>()("@blockquarry/cli/StandardInput", {
  defaultValue: (): () => AsyncIterable<Uint8Array> => () => process.stdin
}) {}

export interface InputLine {
  /** Of the line on which the input ends, from 1. */
  readonly line: number
  /** One for each argument that the lines contain; more or fewer on an invalid line. */
  readonly values: ReadonlyArray<string>
  /** The chain for which the line is read, if there are several. */
  readonly chain?: string
}

export interface InputText {
  /** Null for the standard input. */
  readonly file: string | null
  /** The columns of CSV with a header, or the fields of NDJSON; null for a text with one input per line. */
  readonly columns: ReadonlyArray<string> | null
  readonly valueCount: number
}

/** A longer line or record is no input: the file is probably not a text. Names and metadata of third parties may be long. */
const maxLength = 2 ** 20

/** Fails to read a text because of its content. */
class InvalidText extends Error {
  readonly hint: string

  constructor(message: string, hint = textHint) {
    super(message)
    this.hint = hint
  }
}

/** Decodes UTF-8, or UTF-16 if there is its byte order mark, as PowerShell writes it. Removes byte order marks. */
const decodeChunks = async function*(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? "utf-16le" : "utf-8")
    yield decoder.decode(chunk, { stream: true })
  }
  if (decoder !== null) yield decoder.decode()
}

const requireText = (text: string): void => {
  if (text.includes("\0")) throw new InvalidText("it is not text in UTF-8")
}

const requireLength = (line: string): void => {
  if (line.length > maxLength) throw new InvalidText("a line is longer than 1 MiB")
}

const splitLines = async function*(texts: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<string>> {
  let rest = ""
  for await (const text of texts) {
    requireText(text)
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop() ?? ""
    yield lines
    requireLength(rest)
  }
  yield [rest]
}

/** The parser of CSV counts CRLF within quotes as two lines. */
const withoutCarriageReturns = async function*(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield text.replaceAll("\r", "")
}

const unquote = (text: string): string => text.trim().replace(/^(?:"(.*)"|'(.*)')$/s, "$1$2").trim()

/** Returns the values of a line; none for a blank line or a comment. */
const splitValues = (line: string, count: number): ReadonlyArray<string> => {
  const text = line.trim()
  if (text === "" || text.startsWith("#")) return []
  return count === 1
    ? [unquote(text)]
    : text.split(/\s*[\s,;]\s*/).map(unquote).filter((value) => value !== "")
}

const lineInputs = async function*(
  texts: AsyncIterable<string>,
  valuesOf: (text: string, line: number) => ReadonlyArray<string>
): AsyncGenerator<ReadonlyArray<InputLine>> {
  let line = 0
  for await (const lines of splitLines(texts)) {
    yield lines.map((text) => ({ line: ++line, values: valuesOf(text, line) }))
      .filter(({ values }) => values.length > 0)
  }
}

const maxListedColumns = 20

/** Returns the index of a column by its name or number. */
const columnIndex = (header: ReadonlyArray<string>, column: string): number => {
  const names = header.map((name) => name.trim())
  const similar = names.findIndex((name) => name.toLowerCase() === column.toLowerCase())
  if (similar !== -1) return names.includes(column) ? names.indexOf(column) : similar
  const number = /^\d{1,6}$/.test(column) ? Number(column) : 0
  if (number >= 1 && number <= names.length) return number - 1
  const more = names.length > maxListedColumns ? ", …" : ""
  throw new InvalidText(
    `the header has no column ${JSON.stringify(column)}; it has ${
      names.slice(0, maxListedColumns).join(", ")
    }${more}`,
    didYouMean(closestMatch(column, names)) ?? "use one of these names, or the number of the column"
  )
}

/** Returns the delimiter that a header has most often: the records of third parties may contain the others. */
const delimiterOf = (header: string): string => {
  const text = header.replace(/"[^"]*"/g, "")
  const count = (delimiter: string) => text.split(delimiter).length
  return [",", ";", "\t"].reduce((most, delimiter) => count(delimiter) > count(most) ? delimiter : most)
}

const csvInputs = async function*(
  texts: AsyncIterable<string>,
  delimiter: string,
  columns: ReadonlyArray<string>
): AsyncGenerator<ReadonlyArray<InputLine>> {
  const [{ parse }, { Readable }] = await Promise.all([import("csv-parse"), import("node:stream")])
  const rows: AsyncIterable<
    { readonly record: ReadonlyArray<string>; readonly info: { readonly lines: number } }
  > = Readable.from(withoutCarriageReturns(texts)).pipe(parse({
    delimiter,
    info: true,
    max_record_size: maxLength,
    relax_column_count: true,
    skip_empty_lines: true
  }))
  let indexes: ReadonlyArray<number> | null = null
  for await (const { info, record } of rows) {
    if (indexes === null) {
      // Names within the records may contain anything
      requireText(record.join(""))
      indexes = columns.map((column) => columnIndex(record, column))
      continue
    }
    yield [{ line: info.lines, values: indexes.map((index) => unquote(record[index] ?? "")) }]
  }
}

/** Returns the values of fields of a JSON document; none for a blank line. */
const fieldValues = (text: string, line: number, fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (text.trim() === "") return []
  const invalid = ({ reason }: LosslessJsonError) => new InvalidText(`line ${line}: ${reason}`)
  const record = Either.getOrThrowWith(parseJson(text), invalid)
  return fields.map((field) => unquote(String(valueAt(record, field.split(".")) ?? "")))
}

/** Reads CSV, or NDJSON, which starts with a brace. The first line decides. */
const recordInputs = async function*(
  texts: AsyncGenerator<string>,
  columns: ReadonlyArray<string>
): AsyncGenerator<ReadonlyArray<InputLine>> {
  let head = ""
  while (!/^\s*(?:\{|\S[^\n]*\n)/.test(head)) {
    requireLength(head)
    const { done, value } = await texts.next()
    if (done === true) break
    head += value
  }
  const all = async function*() {
    yield head
    yield* texts
  }
  const names = columns.map((column) => column.trim())
  const [header = ""] = head.trimStart().split("\n", 1)
  yield* header.startsWith("{")
    ? lineInputs(all(), (text, line) => fieldValues(text, line, names))
    : csvInputs(all(), delimiterOf(header), names)
}

export const inputName = ({ file }: Pick<InputText, "file">): string =>
  file === null ? "stdin" : JSON.stringify(file)

const textHint = "expected one input per line, or CSV or NDJSON with --from-column"

const readError = (input: InputText, error: unknown): UsageError => {
  const action = `--from: cannot read ${inputName(input)}`
  if (error instanceof InvalidText) {
    return new UsageError({ reason: `${action}: ${error.message}`, hint: error.hint })
  }
  // The parser of CSV has codes too, with a message about the line
  return errorCode(error).startsWith("CSV_") && error instanceof Error
    ? new UsageError({ reason: `${action}: ${error.message}`, hint: textHint })
    : new UsageError(systemFailure(action, error, "read"))
}

/** Returns the file that an argument names; null for the standard input, which not every process can open by its path. */
export const fileOf = (argument: string): string | null =>
  argument === stdinArgument || argument === "/dev/stdin" ? null : argument

const fileBytes = async function*(file: string): AsyncGenerator<Uint8Array> {
  // A thread that opens or reads a FIFO would block, and the end of the process waits for it
  yield* (await stat(file)).isFIFO()
    ? new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK) })
    : createReadStream(file)
}

export const bytesOf = ({ file }: Pick<InputText, "file">): Effect.Effect<AsyncIterable<Uint8Array>> =>
  Effect.map(StandardInput, (standardInput) => file === null ? standardInput() : fileBytes(file))

/** Streams the inputs of a text, in bounded memory. */
export const readInputs = (input: InputText, given = bytesOf(input)): Stream.Stream<InputLine, UsageError> =>
  Stream.unwrap(Effect.map(given, (bytes) => {
    const texts = decodeChunks(bytes)
    const inputs = input.columns === null
      ? lineInputs(texts, (text) => splitValues(text, input.valueCount))
      : recordInputs(texts, input.columns)
    // Without `return`, which would wait for a pending read. The end of the process closes the file
    const iterable = { [Symbol.asyncIterator]: () => ({ next: () => inputs.next() }) }
    return Stream.mapConcat(
      Stream.fromAsyncIterable(iterable, (error) => readError(input, error)),
      (lines) => lines
    )
  }))

/** Bounds the memory for what can be read only once: more than a million addresses. */
const maxKept = 64 * 2 ** 20

/**
 * Reads all inputs of an export, which continues only with the same ones. Returns the SHA-256 of the text with them, and the
 * name of a pipe or another source that can be read only once.
 */
export const hashInputs = (input: InputText) =>
  Effect.gen(function*() {
    const { file } = input
    // Reading reports a file that does not exist
    const isFile = file !== null &&
      (yield* Effect.promise(() => stat(file).then((status) => status.isFile(), () => true)))
    const bytes = yield* bytesOf(input)
    const hash = createHash("sha256")
    const kept: Array<Uint8Array> = []
    let size = 0
    yield* Effect.tryPromise({
      try: async () => {
        for await (const chunk of bytes) {
          hash.update(chunk)
          if (isFile) continue
          size += chunk.length
          if (size > maxKept) return
          kept.push(chunk)
        }
      },
      catch: (error) => readError(input, error)
    })
    if (size > maxKept) {
      return yield* new UsageError({
        reason: `--to: ${inputName(input)} has more than 64 MiB of inputs`,
        hint: "write them to a regular file, and use --from FILE"
      })
    }
    const again = async function*() {
      yield* kept
    }
    return {
      sha256: hash.digest("hex"),
      lines: isFile ? readInputs(input) : readInputs(input, Effect.sync(again)),
      pipe: isFile ? null : inputName(input)
    }
  })
