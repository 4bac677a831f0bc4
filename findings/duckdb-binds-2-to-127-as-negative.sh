#!/usr/bin/env bash
# @duckdb/node-api 1.5.6-r.1 binds a bigint as HUGEINT, and one from 2^127 to 2^128 - 1 without an error as that number minus 2^128: the
# amount that a prepared statement inserts is negative, and `where value >= ?` finds rows that are smaller. An appender's appendHugeInt does
# the same. From 2^128 on it is an error. As text with a cast, or with UHUGEINT or BIGNUM as its type, it is exact. Guess: an error beyond
# the type, from 2^127 on. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { BIGNUM, DuckDBInstance, UHUGEINT } from "@duckdb/node-api"
const connection = await (await DuckDBInstance.create()).connect()
const bind = async (sql, values, types) => {
  try {
    return (await connection.runAndReadAll(sql, values, types)).getRowsJson()[0].join(" ")
  } catch (error) {
    return `error: ${error.message}`
  }
}
const append = async (value) => {
  await connection.run("create or replace table t (v hugeint)")
  const appender = await connection.createAppender("t")
  try {
    appender.appendHugeInt(value)
    appender.endRow()
    appender.closeSync()
  } catch (error) {
    return `error: ${error.message}`
  }
  return bind("select v::varchar from t")
}
for (const [name, value] of Object.entries({ "2^127 - 1": 2n ** 127n - 1n, "2^127": 2n ** 127n, "2^128 - 1": 2n ** 128n - 1n, "2^128": 2n ** 128n })) {
  console.log(`${name} = ${value}`)
  console.log("  bound:", await bind("select ?::varchar, typeof(?)", [value, value]))
  console.log("  1000 >= ?:", await bind("select 1000 >= ?", [value]))
  console.log("  appended:", await append(value))
  console.log("  as text:", await bind("select (?::bignum)::varchar", [`${value}`]))
  console.log("  as UHUGEINT:", await bind("select ?::varchar", [value], [UHUGEINT]))
  console.log("  as BIGNUM:", await bind("select ?::varchar", [value], [BIGNUM]))
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
2^127 - 1 = 170141183460469231731687303715884105727
  bound: 170141183460469231731687303715884105727 HUGEINT
  1000 >= ?: false
  appended: 170141183460469231731687303715884105727
  as text: 170141183460469231731687303715884105727
  as UHUGEINT: 170141183460469231731687303715884105727
  as BIGNUM: 170141183460469231731687303715884105727
2^127 = 170141183460469231731687303715884105728
  bound: -170141183460469231731687303715884105728 HUGEINT
  1000 >= ?: true
  appended: -170141183460469231731687303715884105728
  as text: 170141183460469231731687303715884105728
  as UHUGEINT: 170141183460469231731687303715884105728
  as BIGNUM: 170141183460469231731687303715884105728
2^128 - 1 = 340282366920938463463374607431768211455
  bound: -1 HUGEINT
  1000 >= ?: true
  appended: -1
  as text: 340282366920938463463374607431768211455
  as UHUGEINT: 340282366920938463463374607431768211455
  as BIGNUM: 340282366920938463463374607431768211455
2^128 = 340282366920938463463374607431768211456
  bound: error: bigint out of hugeint range
  1000 >= ?: error: bigint out of hugeint range
  appended: error: bigint out of hugeint range
  as text: 340282366920938463463374607431768211456
  as UHUGEINT: error: bigint out of uhugeint range
  as BIGNUM: 340282366920938463463374607431768211456
EXPECTED
