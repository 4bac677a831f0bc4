#!/usr/bin/env bash
# ClickHouse 26.7.2.1 (chdb 3.4.0) reads an integer in SQL from 2^64 on as Float64: `where v = 100000000000000000001` on a UInt256 finds the
# row with 10^20 instead of that with 10^20 + 1, and `in (...)` neither. It is exact if `::UInt256` follows, but CAST(... AS UInt256) and
# toUInt256 give wrong digits: 2^256 - 1 differs from digit 19 on. INSERT ... VALUES is exact, unless the value is an expression.
# toUInt256OrNull of the text 2^256 is 0, not NULL. DuckDB 1.5.6 has doubles from 39 digits on, also with ::bignum; PostgreSQL (PGlite
# 0.5.17) is exact. Guess: the digits, or an error. Amounts in quotes: '...'::UInt256. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund chdb@3.4.0 @duckdb/node-api@1.5.6-r.1 @electric-sql/pglite@0.5.17 >/dev/null

cat >program.mjs <<'PROGRAM'
import { PGlite } from "@electric-sql/pglite"
import { DuckDBInstance } from "@duckdb/node-api"
import { Session } from "chdb"
const max = 2n ** 256n - 1n
const shorten = (text) => text.replaceAll(`${max}`, "MAX").replaceAll(`${max + 1n}`, "MAX+1")
const session = new Session()
const clickhouse = (sql) => {
  try {
    return session.query(sql, "TSV").trim().replaceAll("\t", " ").replaceAll("\n", ", ")
  } catch (error) {
    return /Code: \d+/.exec(String(error))[0]
  }
}
const ask = (sql) => console.log(`${shorten(sql)}: ${shorten(clickhouse(sql))}`)
ask("select version()")
clickhouse("create table t (v UInt256) engine = Memory")
clickhouse("insert into t values (100000000000000000000), (100000000000000000001)")
ask("select v from t order by v")
for (const condition of ["= 100000000000000000001", "= 100000000000000000000", "in (100000000000000000001)", "> 100000000000000000000", "= '100000000000000000001'", "= 100000000000000000001::UInt256"]) {
  ask(`select count(), any(v) from t where v ${condition}`)
}
for (const expression of [`${max}::UInt256`, `cast(${max} as UInt256)`, `toUInt256(${max})`, `cast('${max}' as UInt256)`, `toUInt256('${max + 1n}')`, `toUInt256OrNull('${max + 1n}')`]) ask(`select ${expression}`)
clickhouse("create table u (v UInt256) engine = Memory")
clickhouse(`insert into u values (${max}), (${max} + 0)`)
ask("select v from u order by v desc")
const duckdb = await (await DuckDBInstance.create()).connect()
for (const digits of ["9".repeat(38), "1" + "0".repeat(38) + "1", `${max}`]) {
  const reader = await duckdb.runAndReadAll(`select typeof(${digits}), ${digits}::bignum::varchar, '${digits}'::bignum::varchar`)
  console.log(`DuckDB, ${shorten(digits)}: ${shorten(reader.getRowsJson()[0].join(" "))}`)
}
const postgres = await PGlite.create()
console.log("PostgreSQL, MAX:", shorten(Object.values((await postgres.query(`select pg_typeof(${max})::text as type, (${max} + 0)::text as value`)).rows[0]).join(" ")))
await postgres.close()
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
select version(): 26.7.2.1
select v from t order by v: 100000000000000000000, 100000000000000000001
select count(), any(v) from t where v = 100000000000000000001: 1 100000000000000000000
select count(), any(v) from t where v = 100000000000000000000: 1 100000000000000000000
select count(), any(v) from t where v in (100000000000000000001): 0 0
select count(), any(v) from t where v > 100000000000000000000: 1 100000000000000000001
select count(), any(v) from t where v = '100000000000000000001': 1 100000000000000000001
select count(), any(v) from t where v = 100000000000000000001::UInt256: 1 100000000000000000001
select MAX::UInt256: MAX
select cast(MAX as UInt256): 115792089237316195398462578067141184799968521174335529155754622898352762650625
select toUInt256(MAX): 115792089237316195398462578067141184799968521174335529155754622898352762650625
select cast('MAX' as UInt256): MAX
select toUInt256('MAX+1'): 0
select toUInt256OrNull('MAX+1'): 0
select v from u order by v desc: MAX, 115792089237316195398462578067141184799968521174335529155754622898352762650625
DuckDB, 99999999999999999999999999999999999999: HUGEINT 99999999999999999999999999999999999999 99999999999999999999999999999999999999
DuckDB, 1000000000000000000000000000000000000001: DOUBLE 999999999999999939709166371603178586112 1000000000000000000000000000000000000001
DuckDB, MAX: DOUBLE MAX+1 MAX
PostgreSQL, MAX: numeric MAX
EXPECTED
