#!/usr/bin/env bash
# pg 8.23.1 gives NUMERIC as text, because a number would round it, but NUMERIC[] as an array of rounded numbers: array_agg(value) and the
# column of an array lose digits where value itself is exact. BIGINT[] is text as BIGINT is. json_agg and to_json write the amount as a JSON
# number, which pg parses and so rounds as well. PGlite 0.5.14 gives NUMERIC[] as text, and rounds JSON too; postgres 3.4.9 as PGlite. Guess:
# an array holds what its element type gives. array_agg(value::text), or types.setTypeParser(1231, ...). Needs Node 20 or later and the npm
# registry; runs PGlite as the server.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund pg@8.23.1 postgres@3.4.9 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >/dev/null

cat >program.mjs <<'PROGRAM'
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import pg from "pg"
import postgres from "postgres"
const max = (2n ** 256n - 1n).toString()
const database = await PGlite.create()
await database.exec(`create table transfers (value numeric(78, 0), id bigint); insert into transfers values (${max}, 9007199254740993)`)
const server = new PGLiteSocketServer({ db: database, port: 0, host: "127.0.0.1" })
const listening = new Promise((resolve) => server.addEventListener("listening", ({ detail }) => resolve(detail.port)))
await server.start()
const port = await listening
const columns = { value: "value", "array_agg(value)": "array_agg(value)", "array_agg(value::text)": "array_agg(value::text)", id: "id", "array_agg(id)": "array_agg(id)", "json_agg(value)": "json_agg(value)", "to_json(value)": "to_json(value)" }
const show = (value) => `${Array.isArray(value) ? "array of " : ""}${typeof [value].flat()[0]} ${value}`.replace(max, "MAX")
const clients = {
  pg: async (sql) => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" })
    await client.connect()
    const { rows } = await client.query(sql)
    await client.end()
    return rows[0].result
  },
  postgres: async (sql) => {
    const client = postgres({ host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 1 })
    const rows = await client.unsafe(sql)
    await client.end()
    return rows[0].result
  },
  PGlite: async (sql) => (await database.query(sql)).rows[0].result
}
for (const [name, read] of Object.entries(clients)) {
  for (const [column, expression] of Object.entries(columns)) console.log(`${name}, ${column}: ${show(await read(`select ${expression} as result from transfers`))}`)
}
await server.stop()
await database.close()
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
pg, value: string MAX
pg, array_agg(value): array of number 1.157920892373162e+77
pg, array_agg(value::text): array of string MAX
pg, id: string 9007199254740993
pg, array_agg(id): array of string 9007199254740993
pg, json_agg(value): array of number 1.157920892373162e+77
pg, to_json(value): number 1.157920892373162e+77
postgres, value: string MAX
postgres, array_agg(value): array of string MAX
postgres, array_agg(value::text): array of string MAX
postgres, id: string 9007199254740993
postgres, array_agg(id): array of string 9007199254740993
postgres, json_agg(value): array of number 1.157920892373162e+77
postgres, to_json(value): number 1.157920892373162e+77
PGlite, value: string MAX
PGlite, array_agg(value): array of string MAX
PGlite, array_agg(value::text): array of string MAX
PGlite, id: bigint 9007199254740993
PGlite, array_agg(id): array of bigint 9007199254740993
PGlite, json_agg(value): array of number 1.157920892373162e+77
PGlite, to_json(value): number 1.157920892373162e+77
EXPECTED
