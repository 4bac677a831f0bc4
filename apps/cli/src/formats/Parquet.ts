/**
 * Parquet files. A part of an export is a row group.
 *
 * The columns follow from the fields of the operation, so they are the same for every file. An amount is a column of exact
 * text and a column `<name>_f64` for arithmetic. It is never a parquet DECIMAL, which has at most 38 digits.
 */
import { parquetMetadata, type RowGroup, type SchemaElement } from "hyparquet"
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer"
import { gzipSync } from "node:zlib"
import { type FieldKind, type RecordField, valueAt } from "./RecordFields.ts"
import type { FileFormat, PartEncoder } from "./RecordFormat.ts"

export interface ParquetOptions {
  readonly fields: ReadonlyArray<RecordField>
  readonly createdBy: string
  readonly metadata: Readonly<Record<string, string>>
}

/** A 64-bit integer is a number until its row group ends, because a bigint takes memory. */
type CellValue = string | number | boolean | null

type PhysicalType = Pick<SchemaElement, "type" | "converted_type" | "logical_type">

const textType: PhysicalType = {
  type: "BYTE_ARRAY",
  converted_type: "UTF8",
  logical_type: { type: "STRING" }
}

const whenString = (convert: (text: string) => CellValue) => (value: unknown): CellValue =>
  typeof value === "string" ? convert(value) : null

/**
 * Returns the same conversion, which remembers the last two values. Neighbouring records share blocks, tokens and
 * addresses. One string for all of them takes less memory, and is hashed once.
 */
const remembering = (convert: ColumnKind["convert"]): ColumnKind["convert"] => {
  let last: unknown = null
  let lastCell: CellValue = null
  let other: unknown = null
  let otherCell: CellValue = null
  return (value) => {
    if (value === last) return lastCell
    const cell = value === other ? otherCell : convert(value)
    other = last
    otherCell = lastCell
    last = value
    lastCell = cell
    return cell
  }
}

/** A column of a field, whose name is that of the field and a suffix. Null values are null. */
interface ColumnKind {
  readonly suffix: string
  readonly type: PhysicalType
  readonly convert: (value: unknown) => CellValue
}

const column = (type: PhysicalType, convert: ColumnKind["convert"], suffix = ""): ColumnKind => ({
  suffix,
  type,
  convert
})

const text = column(textType, whenString((value) => value))

const toDouble = (value: unknown): CellValue => {
  const number = typeof value === "string" ? Number(value) : value
  return typeof number === "number" ? number : null
}

const exactAndRounded = [text, column({ type: "DOUBLE" }, toDouble, "_f64")]

const columnKinds: Readonly<Record<FieldKind, ReadonlyArray<ColumnKind>>> = {
  string: [text],
  json: [
    column(textType, (value) => value === null || value === undefined ? null : JSON.stringify(value))
  ],
  boolean: [column({ type: "BOOLEAN" }, (value) => typeof value === "boolean" ? value : null)],
  integer: [column({ type: "INT64" }, (value) => typeof value === "number" ? value : null)],
  float: [column({ type: "DOUBLE" }, toDouble)],
  time: [
    column(
      {
        type: "INT64",
        converted_type: "TIMESTAMP_MILLIS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" }
      },
      whenString(Date.parse)
    )
  ],
  decimal: exactAndRounded,
  amount: exactAndRounded
}

const toColumns = ({ fields }: ParquetOptions) =>
  fields.flatMap(({ kind, path }) =>
    columnKinds[kind].map(({ convert, suffix, type }) => ({
      path,
      element: { ...type, name: path.join(".") + suffix, repetition_type: "OPTIONAL" as const },
      /** Whether lists are ordered by the column, so that its bounds let readers skip row groups. */
      isOrdered: kind === "time" || path.at(-1) === "block_number",
      convert
    }))
  )

type ParquetColumns = ReturnType<typeof toColumns>

/** The compression that all readers support. It is native, unlike the Snappy of `hyparquet-writer`. */
const compressors = { GZIP: (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level: 1 }) }

/** Every parquet file starts with `PAR1`. */
const magicLength = 4

/** Creates a writer whose next byte is at `offset` of the file. Its bytes after `magicLength` belong there. */
const makeWriter = (
  { createdBy, metadata }: ParquetOptions,
  columns: ParquetColumns,
  offset: number
): { readonly bytes: ByteWriter; readonly parquet: ParquetWriter } => {
  const bytes = new ByteWriter(2 ** 16)
  bytes.offset = offset - magicLength
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "records", num_children: columns.length }, ...columns.map(({ element }) => element)],
    codec: "GZIP",
    compressors,
    createdBy,
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value }))
  })
  return { bytes, parquet }
}

export const parquetFile = (options: ParquetOptions): FileFormat => {
  const columns = toColumns(options)
  return {
    startPart: (offset) => startRowGroup(options, columns, offset),
    end: (footers, offset) => {
      const { bytes, parquet } = makeWriter(options, columns, offset)
      for (const group of footers.flatMap((footer) => footer === null ? [] : readRowGroups(footer))) {
        parquet.row_groups.push(group)
        parquet.num_rows += group.num_rows
      }
      void parquet.finish()
      return bytes.getBytes().subarray(magicLength)
    }
  }
}

const toInt64 = (cell: CellValue): bigint | null => typeof cell === "number" ? BigInt(cell) : null

const startRowGroup = (
  options: ParquetOptions,
  columns: ParquetColumns,
  offset: number
): PartEncoder => {
  const cellColumns = columns.map(({ convert, ...column }) => ({
    ...column,
    convert: remembering(convert),
    cells: new Array<CellValue>()
  }))
  const rows: Array<unknown> = []
  let size = 0
  return {
    add: (records) => {
      for (const { cells, convert, path } of cellColumns) {
        for (const record of records) {
          const value = convert(valueAt(record, path))
          cells.push(value)
          size += typeof value === "string" ? value.length : 8
        }
      }
      rows.push(...records)
      return new Uint8Array()
    },
    pending: () => rows,
    size: () => size,
    end: () => {
      const { bytes, parquet } = makeWriter(options, columns, Math.max(offset, magicLength))
      const columnData = cellColumns.map(({ cells, element, isOrdered }): ColumnSource => ({
        name: element.name,
        data: element.type === "INT64" ? cells.map(toInt64) : cells,
        offsetIndex: false,
        // Bounds of other columns would take much time and skip nothing
        statistics: isOrdered,
        ...(element.type === "DOUBLE" ? { encoding: "PLAIN" } : {})
      }))
      if (rows.length > 0) void parquet.write({ columnData, rowGroupSize: rows.length, pageSize: 0 })
      const written = bytes.getBytes().slice(offset === 0 ? 0 : magicLength)
      bytes.index = 0
      void parquet.finish()
      return { bytes: written, footer: Buffer.from(bytes.getBytes()).toString("base64") }
    }
  }
}

const readRowGroups = (footer: string): ReadonlyArray<RowGroup> =>
  parquetMetadata(new Uint8Array(Buffer.from(footer, "base64")).buffer).row_groups
