/** Inputs as users write them: lines and CSV files, in several encodings. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import type { UsageError } from "../../src/errors/CommandError.ts"
import { type InputLine, type InputText, readInputs, StandardInput } from "../../src/inputs/InputText.ts"

/** Reads a text from stdin, which arrives in pieces of any size. */
const read = (
  text: string | Uint8Array,
  options: Partial<InputText> = {},
  pieceSize = 7
): Effect.Effect<ReadonlyArray<InputLine>, UsageError> => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text
  const pieces = async function*() {
    for (let index = 0; index < bytes.length; index += pieceSize) yield bytes.slice(index, index + pieceSize)
  }
  return readInputs({ file: null, columns: null, valueCount: 1, ...options }).pipe(
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.provideService(StandardInput, pieces)
  )
}

describe("lines", () => {
  it.effect.each<readonly [title: string, text: string | Uint8Array, valueCount: number, lines: object]>([
    [
      "are trimmed, and blank lines and comments do not count",
      "\ufeff0xa\r\n\r\n# wallets\r\n  0xb  \n\t'0xc'\n\"0xd\"\n   # indented\n0xa",
      1,
      { 1: ["0xa"], 4: ["0xb"], 5: ["0xc"], 6: ["0xd"], 8: ["0xa"] }
    ],
    [
      "of several values are separated by commas, tabs, semicolons or spaces",
      "0xa,1\n0xb\t2\n0xc 3\n\"0xd\"; \"4\"\n0xe  ,  5\n0xf\n",
      2,
      { 1: ["0xa", "1"], 2: ["0xb", "2"], 3: ["0xc", "3"], 4: ["0xd", "4"], 5: ["0xe", "5"], 6: ["0xf"] }
    ],
    [
      "may be in UTF-16, as PowerShell writes files",
      Buffer.from("\ufeff0xa\r\n0xb\r\n", "utf16le"),
      1,
      { 1: ["0xa"], 2: ["0xb"] }
    ]
  ])(
    "%s",
    ([, text, valueCount, lines]) =>
      Effect.map(
        read(text, { valueCount }),
        (inputs) =>
          expect(Object.fromEntries(inputs.map(({ line, values }) => [line, values]))).toEqual(lines)
      )
  )

  it.effect.each<readonly [title: string, text: string | Uint8Array, reason: string]>([
    ["are too long", "0xa\n" + "x".repeat(2 ** 20 + 9000), "a line is longer than 1 MiB"],
    [
      "are those of a binary file",
      new Uint8Array([0x50, 0x41, 0x52, 0x31, 0x00, 0xff, 0x0a]),
      "it is not text in UTF-8"
    ]
  ])(
    "that %s are an error, which shows none of them",
    ([, text, reason]) =>
      Effect.map(Effect.flip(read(text, {}, 4096)), (error) => {
        expect(error.reason).toBe(`--from: cannot read stdin: ${reason}`)
        expect(error.hint).toContain("--from-column")
      })
  )

  it.effect.prop(
    "are the same for every size of the pieces that arrive",
    [
      FastCheck.array(FastCheck.constantFrom("0xa", " 0xb ", "", "#c", "'0xd'", "\u00e4"), { maxLength: 30 }),
      FastCheck.constantFrom("\n", "\r\n"),
      FastCheck.integer({ min: 1, max: 20 })
    ],
    ([lines, lineBreak, pieceSize]) =>
      Effect.gen(function*() {
        const text = lines.join(lineBreak)
        expect(yield* read(text, {}, pieceSize)).toEqual(yield* read(text, {}, 10_000))
      })
  )
})

describe("NDJSON", () => {
  it.effect("has the values in its fields, also in nested ones", () =>
    Effect.gen(function*() {
      const text = "\n{\"sale\":{\"id\":12345678901234567890}}\r\n\n{\"sale\":null}\n"
      expect(yield* read(text, { columns: ["sale.id"] })).toEqual([
        { line: 2, values: ["12345678901234567890"] },
        { line: 4, values: [""] }
      ])
      const broken = yield* Effect.flip(read("{\"a\":1}\n{\"a\":", { columns: ["a"] }))
      expect(broken.reason).toBe("--from: cannot read stdin: line 2: truncated JSON")
    }))
})

describe("CSV files", () => {
  const csv = [
    "name;address ;note",
    "\"a;b\";0xa;\"first\r\nsecond\"",
    "",
    "c;0xc",
    "\"say \"\"hi\"\"\";\"0xd\";x"
  ].join("\r\n")

  it.effect("have a header, whose names select columns in any case", () =>
    Effect.gen(function*() {
      const expected = [
        { line: 3, values: ["0xa"] },
        { line: 5, values: ["0xc"] },
        { line: 6, values: ["0xd"] }
      ]
      expect(yield* read(csv, { columns: ["Address"] })).toEqual(expected)
      expect(yield* read(`\ufeff${csv}`, { columns: ["2"] })).toEqual(expected)
    }))

  it.effect("may contain the values of several arguments", () =>
    Effect.gen(function*() {
      const text = "id,contract\n1,0xa\n2,0xb\n"
      expect(yield* read(text, { columns: ["contract", "id"], valueCount: 2 })).toEqual([
        { line: 2, values: ["0xa", "1"] },
        { line: 3, values: ["0xb", "2"] }
      ])
    }))

  it.effect.each<
    readonly [title: string, text: string, columns: ReadonlyArray<string>, values: ReadonlyArray<string>]
  >([
    ["a comma, although a name has a semicolon", "name,token_id\nSkeleton; 7,1234\n", ["token_id"], ["1234"]],
    ["a semicolon, although the header has a comma", "a, b;c;address\nx, y;z, z, z;0xa\n", ["address"], [
      "0xa"
    ]],
    ["a semicolon, of a column by number", "a;b, c;d\nx, y;0xa;z\n", ["2"], ["0xa"]],
    ["a tab, after a blank line", "\n\r\nname\taddress\r\nx, y; z\t0xa\r\n", ["address"], ["0xa"]],
    ["none, for one column", "address\n0xa; b\n", ["1"], ["0xa; b"]],
    ["a comma, although a quoted name has the others", "\"a;b;c\td\",address\nx,0xa\n", ["2"], ["0xa"]],
    ["that of the exact name of a column", "Address;address\nx;0xa\n", ["address"], ["0xa"]]
  ])(
    "have one delimiter by their header: %s",
    ([, text, columns, values]) =>
      Effect.forEach(
        [1, 7, 1000],
        (pieceSize) =>
          Effect.map(read(text, { columns }, pieceSize), (inputs) =>
            expect(inputs.map((input) => input.values)).toEqual([values]))
      )
  )

  it.effect("report unknown columns and broken quotes", () =>
    Effect.gen(function*() {
      const unknown = yield* Effect.flip(read(csv, { columns: ["adress"] }))
      expect(unknown).toMatchObject({
        reason: "--from: cannot read stdin: the header has no column \"adress\"; it has name, address, note",
        hint: "did you mean address?"
      })
      const many = Array.from({ length: 30 }, (_, index) => `c${index}`).join()
      const long = yield* Effect.flip(read(many, { columns: ["address"] }))
      expect(long.reason).toMatch(/it has c0, .*, c19, …$/)
      expect(long.hint).toBe("use one of these names, or the number of the column")
      const broken = yield* Effect.flip(read("a,b\n\"x,1\ny,2\n", { columns: ["a"] }))
      expect(broken.reason).toMatch(/^--from: cannot read stdin: .*quote/i)
    }))
})
