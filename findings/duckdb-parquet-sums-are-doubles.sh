#!/usr/bin/env bash
# DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1): sum() of integers is a HUGEINT and exact, but COPY writes a HUGEINT or UHUGEINT column to
# Parquet as DOUBLE, without a warning. A table of sums that was right when it was saved is rounded when it is read; two totals that differ
# are one; the sum of a filter on the file differs from that in the table. Guess: an error, or DECIMAL(38,0), which Parquet has. A cast to
# DECIMAL(38,0) keeps the digits and fails beyond 38 of them; a BIGNUM is written as text and read as VARCHAR; JSON keeps the digits, and
# CSV too, which read_csv then takes for DOUBLE.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
const connection = await (await DuckDBInstance.create()).connect()
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson()
console.log((await rows("select version()"))[0][0])
// Amounts of 18 decimals: 12 tokens, and one of the smallest unit more or less
await connection.run(`create table transfers as select * from (values
  ('a', 6000000000000000001::bigint), ('a', 6000000000000000000), ('b', 6000000000000000001), ('b', 6000000000000000002)) t(wallet, value)`)
const totals = "select wallet, sum(value) as total from transfers group by wallet order by wallet"
const show = async (label, expression, format = "parquet") => {
  await connection.run(`copy (select wallet, ${expression} as total from (${totals})) to 'totals.${format}'`)
  const [[type, distinct, sum]] = await rows(
    `select any_value(typeof(total)), count(distinct total), sum(total::decimal(38, 0))::varchar from 'totals.${format}'`
  )
  console.log(`${label}: ${type}, ${distinct} totals, their sum ${sum}`)
}
console.log("before:", ...(await rows(`select typeof(total), total::varchar from (${totals})`)).map((row) => row.join(" ")))
await show("total", "total")
await show("total::uhugeint", "total::uhugeint")
await show("total::decimal(38, 0)", "total::decimal(38, 0)")
await show("total::bignum", "total::bignum")
await show("total in CSV", "total", "csv")
await show("total in JSON", "total", "json")
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
v1.5.6
before: HUGEINT 12000000000000000001 HUGEINT 12000000000000000003
total: DOUBLE, 1 totals, their sum 24000000000000000000
total::uhugeint: DOUBLE, 1 totals, their sum 24000000000000000000
total::decimal(38, 0): DECIMAL(38,0), 2 totals, their sum 24000000000000000004
total::bignum: VARCHAR, 2 totals, their sum 24000000000000000004
total in CSV: DOUBLE, 1 totals, their sum 24000000000000000000
total in JSON: HUGEINT, 2 totals, their sum 24000000000000000004
EXPECTED
