#!/usr/bin/env bash
# PGlite 0.5.17 (PostgreSQL 18.7): a cell of type int8 is a number up to 2^53 - 1 and a bigint beyond, so one column has two types. A program
# that was tried with small values fails with its first large one: adding the cells and Math.max throw a TypeError, JSON.stringify throws,
# === 1n is never true for small ones. sum() of it is numeric and always text; max() has two types; an array has two types inside. A number in
# json and jsonb is rounded. Guess: text, as with node-postgres, or always bigint. A parser for the type gives one of them.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @electric-sql/pglite@0.5.17 >/dev/null

cat >program.mjs <<'PROGRAM'
import { PGlite, types } from "@electric-sql/pglite"
const show = (value) => Array.isArray(value) ? `[${value.map(show).join(", ")}]` : `${typeof value} ${value}`
const attempt = (run) => {
  try {
    return show(run())
  } catch (error) {
    return error.name
  }
}
const database = await PGlite.create()
const query = async (sql, options) => (await database.query(sql, [], options)).rows.map(({ v }) => v)
console.log((await query("select version() as v"))[0].match(/PostgreSQL .*\)/)[0].slice(0, 31))
const cells = (last) => `select v from (values (1::int8), (${last})) t(v)`
for (const last of ["9007199254740991", "9007199254740993"]) {
  const column = await query(cells(last))
  console.log(`1 and ${last}:`, column.map(show).join(", "))
  console.log("  added:", attempt(() => column.reduce((sum, v) => sum + v)))
  console.log("  Math.max:", attempt(() => Math.max(...column)))
  console.log("  JSON:", attempt(() => JSON.stringify(column)))
  console.log("  max(v):", show((await query(cells(last).replace(" v ", " max(v) as v ")))[0]))
  console.log("  sum(v):", show((await query(cells(last).replace(" v ", " sum(v) as v ")))[0]))
  console.log("  array_agg(v):", show((await query(cells(last).replace(" v ", " array_agg(v) as v ")))[0]))
  console.log("  to_jsonb(max(v)):", show((await query(cells(last).replace(" v ", " to_jsonb(max(v)) as v ")))[0]))
}
const parsers = { [types.INT8]: (text) => text }
console.log("with a parser:", (await query(cells("9007199254740993"), { parsers })).map(show).join(", "))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
PostgreSQL 18.7 (PGlite 0.5.17)
1 and 9007199254740991: number 1, number 9007199254740991
  added: number 9007199254740992
  Math.max: number 9007199254740991
  JSON: string [1,9007199254740991]
  max(v): number 9007199254740991
  sum(v): string 9007199254740992
  array_agg(v): [number 1, number 9007199254740991]
  to_jsonb(max(v)): number 9007199254740991
1 and 9007199254740993: number 1, bigint 9007199254740993
  added: TypeError
  Math.max: TypeError
  JSON: TypeError
  max(v): bigint 9007199254740993
  sum(v): string 9007199254740994
  array_agg(v): [number 1, bigint 9007199254740993]
  to_jsonb(max(v)): number 9007199254740992
with a parser: string 1, string 9007199254740993
EXPECTED
