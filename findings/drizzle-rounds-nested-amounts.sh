#!/usr/bin/env bash
# drizzle-orm 0.45.4 on PostgreSQL (here PGlite 0.5.17): db.query reads what is nested with `with` as JSON, so amounts that are exact in the
# table's own query are rounded there: numeric() gives the text "1.157920892373162e+77", numeric with mode "bigint" the bigint 2^256 instead
# of 2^256 - 1, and bigint with mode "bigint" 9007199254740992n instead of ...993n, all digits of which look exact. The types are the same.
# Guess: a column gives one value, nested or not. Join in SQL, or keep amounts in text columns. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund drizzle-orm@0.45.4 @electric-sql/pglite@0.5.17 >/dev/null

cat >program.mjs <<'PROGRAM'
import { PGlite } from "@electric-sql/pglite"
import { eq, relations } from "drizzle-orm"
import { bigint, integer, numeric, pgTable, text } from "drizzle-orm/pg-core"
import { drizzle } from "drizzle-orm/pglite"
const max = 2n ** 256n - 1n
const owners = pgTable("owners", { id: integer().primaryKey() })
const transfers = pgTable("transfers", {
  owner: integer(),
  numeric: numeric({ precision: 78, scale: 0 }),
  numericBigint: numeric("numeric", { precision: 78, scale: 0, mode: "bigint" }),
  bigint: bigint({ mode: "bigint" }),
  text: text()
})
const schema = {
  owners,
  transfers,
  ownersRelations: relations(owners, ({ many }) => ({ transfers: many(transfers) })),
  transfersRelations: relations(transfers, ({ one }) => ({ of: one(owners, { fields: [transfers.owner], references: [owners.id] }) }))
}
const client = await PGlite.create()
await client.exec(`create table owners (id int primary key);
  create table transfers (owner int, numeric numeric(78, 0), bigint bigint, text text);
  insert into owners values (1);
  insert into transfers values (1, ${max}, 9007199254740993, '${max}')`)
const database = drizzle(client, { schema })
const results = {
  "query of transfers": (await database.query.transfers.findMany())[0],
  "query of owners with transfers": (await database.query.owners.findMany({ with: { transfers: true } }))[0].transfers[0],
  "select with a join": (await database.select().from(owners).innerJoin(transfers, eq(owners.id, transfers.owner)))[0].transfers
}
const show = (value) => `${typeof value} ${value}`.replace(`${max}`, "MAX").replace(`${max + 1n}`, "MAX + 1")
for (const [name, row] of Object.entries(results)) {
  console.log(`${name}: ${Object.entries(row).slice(1).map(([column, value]) => `${column} ${show(value)}`).join(", ")}`)
}
await client.close()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
query of transfers: numeric string MAX, numericBigint bigint MAX, bigint bigint 9007199254740993, text string MAX
query of owners with transfers: numeric string 1.157920892373162e+77, numericBigint bigint MAX + 1, bigint bigint 9007199254740992, text string MAX
select with a join: numeric string MAX, numericBigint bigint MAX, bigint bigint 9007199254740993, text string MAX
EXPECTED
