#!/usr/bin/env bash
# A Parquet file with DECIMAL and unsigned 64-bit columns, written by DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1), in three readers for
# JavaScript, without an error or a warning:
# hyparquet 1.33.0 gives each DECIMAL as a double, so 0.01 more or less is no difference from 15 digits on; UBIGINT is right.
# @dsnp/parquetjs 1.8.8 gives a negative bigint for each UBIGINT from 2^63 on, and a DECIMAL of up to 18 digits as a double, of more
# digits as bytes, so that the type follows from the declared precision.
# parquet-wasm 0.8.0 with apache-arrow 21.2.0 prints a DECIMAL without its scale: 0.0001 is 1.
# Guess: text or bigint with a scale, or an error. Right in all three: a column of text. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 hyparquet@1.33.0 @dsnp/parquetjs@1.8.8 parquet-wasm@0.8.0 \
  apache-arrow@21.2.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
import parquetjs from "@dsnp/parquetjs"
import { tableFromIPC } from "apache-arrow"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { readFileSync } from "node:fs"
import wasm from "parquet-wasm"
const connection = await (await DuckDBInstance.create()).connect()
await connection.run(`copy (select * from (values
  (123456789012345.67::decimal(17, 2), 0.0001::decimal(19, 4), 12345678901234567890::decimal(38, 0), 18446744073709551615::ubigint, '1.10'),
  (123456789012345.68, 5, 12345678901234567891, 9223372036854775807, '5')) t(price, rate, amount, id, text)) to 'file.parquet'`)

const print = (name, rows) => {
  console.log(name)
  for (const row of rows) {
    const cells = Object.entries(row).map(([column, value]) =>
      `${column} ${Buffer.isBuffer(value) ? `bytes ${value.toString("hex")}` : `${typeof value} ${value}`}`)
    console.log(`  ${cells.join(" | ")}`)
  }
}
print("DuckDB", (await connection.runAndReadAll("from 'file.parquet'")).getRowObjectsJson())
print("hyparquet", await parquetReadObjects({ file: await asyncBufferFromFile("file.parquet") }))
const cursor = (await parquetjs.ParquetReader.openFile("file.parquet")).getCursor()
const rows = []
for (let row = await cursor.next(); row; row = await cursor.next()) rows.push(row)
print("parquetjs", rows)
const table = tableFromIPC(wasm.readParquet(new Uint8Array(readFileSync("file.parquet"))).intoIPCStream())
print("parquet-wasm and Arrow", table.toArray().map((row) => row.toJSON()))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
DuckDB
  price string 123456789012345.67 | rate string 0.0001 | amount string 12345678901234567890 | id string 18446744073709551615 | text string 1.10
  price string 123456789012345.68 | rate string 5.0000 | amount string 12345678901234567891 | id string 9223372036854775807 | text string 5
hyparquet
  price number 123456789012345.69 | rate number 0.0001 | amount number 12345678901234567000 | id bigint 18446744073709551615 | text string 1.10
  price number 123456789012345.69 | rate number 5 | amount number 12345678901234567000 | id bigint 9223372036854775807 | text string 5
parquetjs
  price number 123456789012345.69 | rate bytes 00000000000000000000000000000001 | amount bytes 0000000000000000ab54a98ceb1f0ad2 | id bigint -1 | text string 1.10
  price number 123456789012345.69 | rate bytes 0000000000000000000000000000c350 | amount bytes 0000000000000000ab54a98ceb1f0ad3 | id bigint 9223372036854775807 | text string 5
parquet-wasm and Arrow
  price object 12345678901234567 | rate object 1 | amount object 12345678901234567890 | id bigint 18446744073709551615 | text string 1.10
  price object 12345678901234568 | rate object 50000 | amount object 12345678901234567891 | id bigint 9223372036854775807 | text string 5
EXPECTED
