/** Reads inputs from a file or stdin, one at a time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { UsageError } from "../errors/CommandError.ts"
import { errorCode, systemFailure } from "../errors/SystemError.ts"

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
  /** The columns of a CSV file with a header, by name or number; null for a text with one input per line. */
  readonly columns: ReadonlyArray<string> | null
  readonly valueCount: number
}

/** A longer line is no input: the file is probably not a text. */
const maxLineLength = 64 * 1024

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
    const text = decoder.decode(chunk, { stream: true })
    if (text.includes("\0")) throw new InvalidText("it is not text in UTF-8")
    yield text
  }
  if (decoder !== null) yield decoder.decode()
}

const splitLines = async function*(texts: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<string>> {
  let rest = ""
  for await (const text of texts) {
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop() ?? ""
    yield lines
    if (rest.length > maxLineLength) {
      throw new InvalidText("a line is longer than 64 KiB")
    }
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
  count: number
): AsyncGenerator<ReadonlyArray<InputLine>> {
  let line = 0
  for await (const lines of splitLines(texts)) {
    yield lines.map((text) => ({ line: ++line, values: splitValues(text, count) }))
      .filter(({ values }) => values.length > 0)
  }
}

const maxListedColumns = 20

/** Returns the index of a column by its name or number. */
const columnIndex = (header: ReadonlyArray<string>, column: string): number => {
  const names = header.map((name) => name.trim())
  const index = names.findIndex((name) => name.toLowerCase() === column.trim().toLowerCase())
  if (index !== -1) return index
  const number = /^\d{1,6}$/.test(column.trim()) ? Number(column) : 0
  if (number >= 1 && number <= names.length) return number - 1
  const more = names.length > maxListedColumns ? ", …" : ""
  throw new InvalidText(
    `the header has no column ${JSON.stringify(column)}; it has ${
      names.slice(0, maxListedColumns).join(", ")
    }${more}`,
    didYouMean(closestMatch(column, names)) ?? "use one of these names, or the number of the column"
  )
}

const csvInputs = async function*(
  texts: AsyncIterable<string>,
  columns: ReadonlyArray<string>
): AsyncGenerator<ReadonlyArray<InputLine>> {
  const [{ parse }, { Readable }] = await Promise.all([import("csv-parse"), import("node:stream")])
  const rows: AsyncIterable<
    { readonly record: ReadonlyArray<string>; readonly info: { readonly lines: number } }
  > = Readable.from(withoutCarriageReturns(texts)).pipe(parse({
    delimiter: [",", ";", "\t"],
    info: true,
    max_record_size: 1024 * 1024,
    relax_column_count: true,
    skip_empty_lines: true
  }))
  let indexes: ReadonlyArray<number> | null = null
  for await (const { info, record } of rows) {
    if (indexes === null) {
      indexes = columns.map((column) => columnIndex(record, column))
      continue
    }
    yield [{ line: info.lines, values: indexes.map((index) => unquote(record[index] ?? "")) }]
  }
}

export const inputName = ({ file }: Pick<InputText, "file">): string =>
  file === null ? "stdin" : JSON.stringify(file)

const textHint = "expected one input per line, or CSV with --from-column"

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

export const bytesOf = ({ file }: Pick<InputText, "file">): Effect.Effect<AsyncIterable<Uint8Array>> =>
  Effect.map(StandardInput, (standardInput) => file === null ? standardInput() : createReadStream(file))

/** Streams the inputs of a text, in bounded memory. */
export const readInputs = (input: InputText): Stream.Stream<InputLine, UsageError> =>
  Stream.unwrap(Effect.map(bytesOf(input), (bytes) => {
    const texts = decodeChunks(bytes)
    const inputs = input.columns === null
      ? lineInputs(texts, input.valueCount)
      : csvInputs(texts, input.columns)
    return Stream.mapConcat(
      Stream.fromAsyncIterable(inputs, (error) => readError(input, error)),
      (lines) => lines
    )
  }))

/** Bounds the memory for stdin, which can be read only once: more than a million addresses. */
const maxStandardInput = 64 * 2 ** 20

/** Reads all inputs of an export, which continues only with the same ones. Returns the SHA-256 of the text with them. */
export const hashInputs = (input: InputText) =>
  Effect.gen(function*() {
    const bytes = yield* bytesOf(input)
    const hash = createHash("sha256")
    const kept: Array<Uint8Array> = []
    let size = 0
    yield* Effect.tryPromise({
      try: async () => {
        for await (const chunk of bytes) {
          hash.update(chunk)
          if (input.file !== null) continue
          size += chunk.length
          if (size > maxStandardInput) return
          kept.push(chunk)
        }
      },
      catch: (error) => readError(input, error)
    })
    if (size > maxStandardInput) {
      return yield* new UsageError({
        reason: "--to: stdin has more than 64 MiB of inputs",
        hint: "write them to a file, and use --from FILE"
      })
    }
    const again = async function*() {
      yield* kept
    }
    const lines = readInputs(input)
    return {
      sha256: hash.digest("hex"),
      lines: input.file === null ? Stream.provideService(lines, StandardInput, again) : lines
    }
  })
