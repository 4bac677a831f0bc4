#!/usr/bin/env bash
# A column blob({ mode: "bigint" }) of drizzle-orm 0.45.4 for SQLite (@libsql/client 0.18.0) keeps all digits, and its type is bigint, but it
# stores the digits as text, and the database compares them as such: orderBy puts 10 and 2^255 before 9, the largest two leave 2^255 out,
# gt(value, 9n) leaves out 10, and max() is the one whose first digits are the largest. sum() is a text with an exponent.
# Guess: a column of bigints is ordered as bigints. A text column whose digits are padded to 78 is.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund drizzle-orm@0.45.4 @libsql/client@0.18.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { createClient } from "@libsql/client"
import { asc, desc, gt, max, sum } from "drizzle-orm"
import { drizzle } from "drizzle-orm/libsql"
import { blob, integer, sqliteTable } from "drizzle-orm/sqlite-core"
const database = drizzle(createClient({ url: ":memory:" }))
const transfers = sqliteTable("transfers", {
  id: integer().primaryKey(),
  value: blob({ mode: "bigint" }).notNull()
})
await database.run("create table transfers (id integer primary key, value blob not null)")
await database.insert(transfers).values([9n, 10n, 100n, 2n ** 53n + 1n, 2n ** 255n].map((value) => ({ value })))
const show = (value) => value === 2n ** 255n ? "2^255" : typeof value === "bigint" ? `${value}n` : JSON.stringify(value)
const values = async (query) => (await query).map(({ value }) => show(value)).join(", ")
const select = () => database.select({ value: transfers.value }).from(transfers)
console.log("rows:", await values(select()))
console.log("orderBy asc:", await values(select().orderBy(asc(transfers.value))))
console.log("largest two:", await values(select().orderBy(desc(transfers.value)).limit(2)))
console.log("greater than 9n:", (await values(select().where(gt(transfers.value, 9n)))) || "none")
console.log("max:", await values(database.select({ value: max(transfers.value) }).from(transfers)))
console.log("sum:", await values(database.select({ value: sum(transfers.value) }).from(transfers)))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
rows: 9n, 10n, 100n, 9007199254740993n, 2^255
orderBy asc: 10n, 100n, 2^255, 9n, 9007199254740993n
largest two: 9007199254740993n, 9n
greater than 9n: 9007199254740993n
max: 9007199254740993n
sum: "5.78960446186581e+76"
EXPECTED
