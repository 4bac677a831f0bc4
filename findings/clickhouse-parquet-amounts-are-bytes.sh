#!/usr/bin/env bash
# ClickHouse 26.7.2.1 (chdb 3.4.0) writes UInt256 and Int128 to Parquet as 32 and 16 bytes, lowest byte first, without a logical type: DuckDB
# 1.5.6 reads a BLOB, ClickHouse itself FixedString(32), and max() of it is the amount whose lowest byte is largest, 255 instead of 10^18. A
# sum is an error in both. With the structure 'v UInt256' ClickHouse reads its own file exactly. Decimal256 is a decimal in the file. Guess:
# a decimal, or text. toString(v) for others. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund chdb@3.4.0 @duckdb/node-api@1.5.6-r.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
import { query } from "chdb"
const connection = await (await DuckDBInstance.create()).connect()
const attempt = async (run) => {
  try {
    return await run()
  } catch {
    return "error"
  }
}
const clickhouse = (sql) => attempt(() => query(sql, "TSV").trim().replaceAll("\t", " "))
const duckdb = (sql) => attempt(async () => (await connection.runAndReadAll(sql)).getRowsJson().flat().join(" "))
console.log("ClickHouse", await clickhouse("select version()"))
for (const type of ["UInt256", "Int128", "Decimal(76, 0)", "UInt64"]) {
  await clickhouse(`insert into function file('v.parquet') select arrayJoin(['1', '255', '1000000000000000000'])::${type} as v settings engine_file_truncate_on_insert = 1`)
  console.log(type)
  console.log("  DuckDB:", await duckdb("select any_value(typeof(v)), max(v)::varchar from 'v.parquet'"), "sum", await duckdb("select sum(v)::varchar from 'v.parquet'"))
  console.log("  ClickHouse:", await clickhouse("select any(toTypeName(v)), hex(max(v)) from file('v.parquet')"), "sum", await clickhouse("select sum(v) from file('v.parquet')"))
  console.log("  ClickHouse with structure:", await clickhouse(`select max(v), sum(v) from file('v.parquet', Parquet, 'v ${type}')`))
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
ClickHouse 26.7.2.1
UInt256
  DuckDB: BLOB \xFF\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00 sum error
  ClickHouse: FixedString(32) FF00000000000000000000000000000000000000000000000000000000000000 sum error
  ClickHouse with structure: 1000000000000000000 1000000000000000256
Int128
  DuckDB: BLOB \xFF\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00 sum error
  ClickHouse: FixedString(16) FF000000000000000000000000000000 sum error
  ClickHouse with structure: 1000000000000000000 1000000000000000256
Decimal(76, 0)
  DuckDB: DOUBLE 1e+18 sum 1.0000000000000003e+18
  ClickHouse: Decimal(76, 0) 000064A7B3B6E00D000000000000000000000000000000000000000000000000 sum 1000000000000000256
  ClickHouse with structure: 1000000000000000000 1000000000000000256
UInt64
  DuckDB: UBIGINT 1000000000000000000 sum 1000000000000000256
  ClickHouse: UInt64 0DE0B6B3A7640000 sum 1000000000000000256
  ClickHouse with structure: 1000000000000000000 1000000000000000256
EXPECTED
