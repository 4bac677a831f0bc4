/** Row groups of parquet files: their bytes depend on the records only. */
import { expect, it } from "@effect/vitest"
import { parquetMetadata } from "hyparquet"
import { createHash } from "node:crypto"
import { parquetFile } from "../../src/formats/Parquet.ts"

const format = parquetFile({
  fields: [{ path: ["text"], kind: "string" }],
  hasBinaryAmounts: false,
  createdBy: "test",
  metadata: {},
  rowGroupRows: 10_000
})

/** Returns the file of records that arrive in pages, in parts that end wherever they can. */
const encode = (records: ReadonlyArray<unknown>, pageSize: number, endsParts: boolean): Uint8Array => {
  const bytes: Array<Uint8Array> = []
  const footers: Array<string | null> = []
  const size = () => bytes.reduce((sum, { length }) => sum + length, 0)
  let part = format.startPart(0)
  const endPart = () => {
    const { bytes: rest, footer } = part.end()
    bytes.push(rest)
    footers.push(footer)
    part = format.startPart(size())
  }
  for (let start = 0; start < records.length; start += pageSize) {
    const page = records.slice(start, start + pageSize)
    for (let added = 0; added < page.length;) {
      const some = page.slice(added, added + part.room())
      bytes.push(part.add(some))
      added += some.length
      if (endsParts && part.pending().length === 0) endPart()
    }
  }
  bytes.push(part.flush())
  endPart()
  bytes.push(format.end(footers, size()))
  return Buffer.concat(bytes)
}

const rowGroupsOf = (file: Uint8Array) =>
  parquetMetadata(new Uint8Array(file).buffer).row_groups.map(({ num_rows }) => Number(num_rows))

it.each([
  ["10,000 rows", Array.from({ length: 25_000 }, (_, index) => ({ text: `${index}` })), [
    10_000,
    10_000,
    5000
  ]],
  // The size is compared after each 100 rows
  ["16 MiB", Array.from({ length: 450 }, (_, index) => ({ text: `${index}`.padEnd(100_000) })), [
    200,
    200,
    50
  ]]
])("end after %s, for pages of every size and parts of every length", (_, records, expected) => {
  const hashes = [1000, 333].flatMap((pageSize) =>
    [false, true].map((endsParts) => {
      const file = encode(records, pageSize, endsParts)
      expect(rowGroupsOf(file)).toEqual(expected)
      return createHash("sha256").update(file).digest("hex")
    })
  )
  expect(new Set(hashes).size).toBe(1)
})
