#!/usr/bin/env bash
# An amount divided by 10^18 is rounded by these engines, each at another place and without a warning, though its column is an exact
# decimal. PostgreSQL 18.7 (PGlite 0.5.17) keeps at least 16 significant digits, here 19 and 21, so the larger an amount, the fewer places
# it has after the point; the result is exact if the divisor is written with 18 places. MariaDB 10.11.19 keeps 4 places, ClickHouse 26.7.2.1
# (chdb 3.4.0) none; DuckDB 1.5.6 returns a DOUBLE. The sum of the quotients is not the quotient of the sum. Multiplying by
# 0.000000000000000001 is exact in PostgreSQL and MariaDB, 18 places of the dividend are in ClickHouse. Guess: a decimal quotient with
# finitely many digits is exact. Needs Node, the npm registry, and mariadb-server 1:10.11.19-0+deb12u1 of Debian 12.
set -euo pipefail

folder=$(mktemp -d)
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @electric-sql/pglite@0.5.17 chdb@3.4.0 @duckdb/node-api@1.5.6-r.1 >/dev/null
mariadb-install-db --no-defaults --auth-root-authentication-method=normal --user=root --datadir="$folder/data" >/dev/null 2>&1
mariadbd --no-defaults --user=root --datadir="$folder/data" --socket="$folder/sock" --pid-file="$folder/pid" --skip-networking \
  >log 2>&1 &
trap 'kill $!; wait; rm -rf "$folder"' EXIT
for _ in $(seq 60); do mariadb-admin --no-defaults --socket="$folder/sock" ping >/dev/null 2>&1 && break || sleep 1; done

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
import { PGlite } from "@electric-sql/pglite"
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
const { query } = createRequire(import.meta.url)("chdb")
const postgres = await PGlite.create()
const duckdb = await (await DuckDBInstance.create()).connect()
const engines = {
  PostgreSQL: async (sql) => Object.values((await postgres.query(sql)).rows[0]).join(" "),
  MariaDB: (sql) =>
    execFileSync("mariadb", ["--no-defaults", "--socket=sock", "-N", "-e", sql], { encoding: "utf8" }).trim().replaceAll("\t", " "),
  ClickHouse: (sql) => query(sql, "TSV").trim().replaceAll("\t", " "),
  DuckDB: async (sql) => (await duckdb.runAndReadAll(sql)).getRowsJson()[0].join(" ")
}
const show = async (name, label, sql) => console.log(`${name}, ${label}: ${await engines[name](sql)}`)
const amount = "1000000123456789012345678"
const one = "1000000000000000000"
const casts = {
  PostgreSQL: (digits) => `${digits}::numeric(78,0)`,
  MariaDB: (digits) => `cast(${digits} as decimal(65,0))`,
  ClickHouse: (digits) => `toDecimal256('${digits}', 0)`,
  DuckDB: (digits) => `${digits}::decimal(38,0)`
}
const texts = {
  PostgreSQL: (value) => `(${value})::text, pg_typeof(${value})::text`,
  MariaDB: (value) => value,
  ClickHouse: (value) => `${value}, toTypeName(${value})`,
  DuckDB: (value) => `(${value})::varchar, typeof(${value})`
}
console.log((await engines.PostgreSQL("select version()")).slice(0, 31))
console.log(await engines.MariaDB("select version()"))
console.log("ClickHouse", engines.ClickHouse("select version()"))
console.log("DuckDB", await engines.DuckDB("select version()"))
for (const name of Object.keys(engines)) {
  await show(name, "/ 10^18", `select ${texts[name](`${casts[name](amount)} / ${casts[name](one)}`)}`)
}
await show("PostgreSQL", "a larger amount", `select (${amount}000000::numeric / ${one})::text`)
await show("PostgreSQL", "/ 10^18 with 18 places", `select (${amount}::numeric / ${one}.000000000000000000)::text`)
for (const name of ["PostgreSQL", "MariaDB"]) {
  await show(name, "* 10^-18", `select ${texts[name](`${casts[name](amount)} * 0.000000000000000001`)}`)
}
await show("ClickHouse", "18 places first", `select ${texts.ClickHouse(`toDecimal256('${amount}', 18) / ${casts.ClickHouse(one)}`)}`)
// Ten equal amounts, summed before and after the division
for (const name of ["PostgreSQL", "MariaDB"]) {
  const rows = `(${Array.from({ length: 10 }, () => `select ${casts[name](amount)} as v`).join(" union all ")}) t`
  await show(name, "sum(v) * 10^-18, sum(v / 10^18)", `select sum(v) * 0.000000000000000001, sum(v / ${one}) from ${rows}`)
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
PostgreSQL 18.7 (PGlite 0.5.17)
10.11.19-MariaDB-0+deb12u1
ClickHouse 26.7.2.1
DuckDB v1.5.6
PostgreSQL, / 10^18: 1000000.123456789012 numeric
MariaDB, / 10^18: 1000000.1235
ClickHouse, / 10^18: 1000000 Decimal(76, 0)
DuckDB, / 10^18: 1000000.1234567891 DOUBLE
PostgreSQL, a larger amount: 1000000123456.78901235
PostgreSQL, / 10^18 with 18 places: 1000000.123456789012345678
PostgreSQL, * 10^-18: 1000000.123456789012345678 numeric
MariaDB, * 10^-18: 1000000.123456789012345678
ClickHouse, 18 places first: 1000000.123456789012345678 Decimal(76, 18)
PostgreSQL, sum(v) * 10^-18, sum(v / 10^18): 10000001.234567890123456780 10000001.234567890120
MariaDB, sum(v) * 10^-18, sum(v / 10^18): 10000001.234567890123456780 10000001.2346
EXPECTED
