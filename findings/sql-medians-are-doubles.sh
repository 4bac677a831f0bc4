#!/usr/bin/env bash
# The median of exact amounts is a double: percentile_cont of PostgreSQL (PGlite 0.5.17) over NUMERIC, median of ClickHouse 26.7.2.1 (chdb
# 3.4.0) over UInt256, and median of DuckDB 1.5.6 over HUGEINT, so an amount alone differs from its median. Over DECIMAL(38,0) DuckDB's
# median is DECIMAL(38,0), and exact for an odd count; for an even one it has wrong digits that look exact, and can be more than the largest
# amount. Over BIGNUM it is the lower of the middle ones. percentile_disc, quantileExact and quantile_disc give one of the amounts. Guess: a
# median between the middle amounts, with the type and digits of sum and max. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund chdb@3.4.0 @duckdb/node-api@1.5.6-r.1 @electric-sql/pglite@0.5.17 >/dev/null

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
import { PGlite } from "@electric-sql/pglite"
import { query } from "chdb"
const lists = [["9007199254740993"], ["900719925474099301234567891", "900719925474099301234567893"], ["900719925474099301234567891", "900719925474099301234567892", "900719925474099301234567893"]]
const duckdb = await (await DuckDBInstance.create()).connect()
const postgres = await PGlite.create()
const union = (list, cast) => list.map((value) => `select ${cast.replace("?", `'${value}'`)} as v`).join(" union all ")
const ask = async (sql, functions) => {
  const results = []
  for (const call of functions) results.push(`${call} ${await sql(call)}`)
  return results.join("; ")
}
for (const list of lists) {
  console.log(`of ${list.join(", ")}`)
  for (const type of ["hugeint", "decimal(38,0)", "bignum"]) {
    const read = async (call) => (await duckdb.runAndReadAll(`select (${call})::varchar, typeof(${call}) from (${union(list, `?::${type}`)})`)).getRowsJson()[0].join(" ")
    console.log(`  DuckDB, ${type}: ${await ask(read, ["median(v)", "quantile_disc(v, 0.5)", "max(v)"])}`)
  }
  const read = async (call) => Object.values((await postgres.query(`select (${call})::text as a, pg_typeof(${call})::text as b from (${union(list, "?::numeric(78,0)")})`)).rows[0]).join(" ")
  console.log(`  PostgreSQL, numeric: ${await ask(read, ["percentile_cont(0.5) within group (order by v)", "percentile_disc(0.5) within group (order by v)"])}`)
  const clickhouse = (call) => query(`select toString(${call}), toTypeName(${call}) from (${union(list, "toUInt256(?)")})`, "TSV").trim().replace("\t", " ")
  console.log(`  ClickHouse, UInt256: ${await ask(clickhouse, ["median(v)", "quantileExact(v)", "max(v)"])}`)
}
await postgres.close()
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
of 9007199254740993
  DuckDB, hugeint: median(v) 9007199254740992.0 DOUBLE; quantile_disc(v, 0.5) 9007199254740993 HUGEINT; max(v) 9007199254740993 HUGEINT
  DuckDB, decimal(38,0): median(v) 9007199254740993 DECIMAL(38,0); quantile_disc(v, 0.5) 9007199254740993 DECIMAL(38,0); max(v) 9007199254740993 DECIMAL(38,0)
  DuckDB, bignum: median(v) 9007199254740993 BIGNUM; quantile_disc(v, 0.5) 9007199254740993 BIGNUM; max(v) 9007199254740993 BIGNUM
  PostgreSQL, numeric: percentile_cont(0.5) within group (order by v) 9.007199254740992e+15 double precision; percentile_disc(0.5) within group (order by v) 9007199254740993 numeric
  ClickHouse, UInt256: median(v) 9007199254740992 Float64; quantileExact(v) 9007199254740993 UInt256; max(v) 9007199254740993 UInt256
of 900719925474099301234567891, 900719925474099301234567893
  DuckDB, hugeint: median(v) 9.007199254740993e+26 DOUBLE; quantile_disc(v, 0.5) 900719925474099301234567891 HUGEINT; max(v) 900719925474099301234567893 HUGEINT
  DuckDB, decimal(38,0): median(v) 900719925474099337438953472 DECIMAL(38,0); quantile_disc(v, 0.5) 900719925474099301234567891 DECIMAL(38,0); max(v) 900719925474099301234567893 DECIMAL(38,0)
  DuckDB, bignum: median(v) 900719925474099301234567891 BIGNUM; quantile_disc(v, 0.5) 900719925474099301234567891 BIGNUM; max(v) 900719925474099301234567893 BIGNUM
  PostgreSQL, numeric: percentile_cont(0.5) within group (order by v) 9.007199254740993e+26 double precision; percentile_disc(0.5) within group (order by v) 900719925474099301234567891 numeric
  ClickHouse, UInt256: median(v) 9.007199254740993e26 Float64; quantileExact(v) 900719925474099301234567893 UInt256; max(v) 900719925474099301234567893 UInt256
of 900719925474099301234567891, 900719925474099301234567892, 900719925474099301234567893
  DuckDB, hugeint: median(v) 9.007199254740993e+26 DOUBLE; quantile_disc(v, 0.5) 900719925474099301234567892 HUGEINT; max(v) 900719925474099301234567893 HUGEINT
  DuckDB, decimal(38,0): median(v) 900719925474099301234567892 DECIMAL(38,0); quantile_disc(v, 0.5) 900719925474099301234567892 DECIMAL(38,0); max(v) 900719925474099301234567893 DECIMAL(38,0)
  DuckDB, bignum: median(v) 900719925474099301234567892 BIGNUM; quantile_disc(v, 0.5) 900719925474099301234567892 BIGNUM; max(v) 900719925474099301234567893 BIGNUM
  PostgreSQL, numeric: percentile_cont(0.5) within group (order by v) 9.007199254740993e+26 double precision; percentile_disc(0.5) within group (order by v) 900719925474099301234567892 numeric
  ClickHouse, UInt256: median(v) 9.007199254740993e26 Float64; quantileExact(v) 900719925474099301234567892 UInt256; max(v) 900719925474099301234567893 UInt256
EXPECTED
