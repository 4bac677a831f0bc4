#!/usr/bin/env bash
# A JavaScript number that is bound to a TEXT column of SQLite is stored as "21000000.0", for node:sqlite of Node 24.21.0, 26.10.0 and Deno
# 2.9.6, better-sqlite3 12.11.1 and @libsql/client 0.18.0: they bind each number as REAL, whole or not. So block numbers and timestamps in
# columns of text never equal those that were written as text, and BigInt("21000000.0") fails. sql.js 1.17.0 does so from 2^31 on only,
# bun:sqlite of Bun 1.4.5 never. A column without a type is real. A bigint is stored as digits. Guess: String(number). Needs the npm registry
# and Node 20 (better-sqlite3 is compiled for the Node that installs it).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 node26@npm:node@26.10.0 deno@2.9.6 bun@1.4.5 better-sqlite3@12.11.1 \
  @libsql/client@0.18.0 sql.js@1.17.0 >/dev/null

cat >program.mjs <<'PROGRAM'
const values = [5, 21000000, 1714521600123, 21000000n]
const open = {
  "node:sqlite": async () => {
    const { DatabaseSync } = await import("node:sqlite")
    const database = new DatabaseSync(":memory:")
    return { run: (sql, ...values) => database.prepare(sql).run(...values), all: (sql) => database.prepare(sql).all() }
  },
  "bun:sqlite": async () => {
    const { Database } = await import("bun:sqlite")
    const database = new Database(":memory:")
    return { run: (sql, ...values) => database.prepare(sql).run(...values), all: (sql) => database.prepare(sql).all() }
  },
  "better-sqlite3": async () => {
    const { default: Database } = await import("better-sqlite3")
    const database = new Database(":memory:")
    return { run: (sql, ...values) => database.prepare(sql).run(...values), all: (sql) => database.prepare(sql).all() }
  },
  "@libsql/client": async () => {
    const { createClient } = await import("@libsql/client")
    const client = createClient({ url: ":memory:" })
    return { run: (sql, ...args) => client.execute({ sql, args }), all: async (sql) => (await client.execute(sql)).rows }
  },
  "sql.js": async () => {
    const { default: initialize } = await import("sql.js")
    const database = new (await initialize()).Database()
    return { run: (sql, ...values) => database.run(sql, values), all: (sql) => database.exec(sql)[0].values.map(([text, type]) => ({ text, type })) }
  }
}
const name = globalThis.process.argv[2]
const { run, all } = await open[name]()
await run("create table blocks (text text, untyped)")
for (const value of values) await run("insert into blocks values (?, ?)", value, value)
console.log(`${name}:`, (await all("select text, typeof(untyped) as type from blocks")).map(({ text, type }) => `"${text}" ${type}`).join(", "))
PROGRAM

{
  echo "Node 24, $(node_modules/node24/bin/node program.mjs node:sqlite)"
  echo "Node 26, $(node_modules/node26/bin/node program.mjs node:sqlite)"
  echo "Deno, $(node_modules/.bin/deno run --quiet --no-prompt program.mjs node:sqlite)"
  echo "Bun, $(node_modules/.bin/bun program.mjs bun:sqlite)"
  for name in better-sqlite3 @libsql/client sql.js; do node program.mjs "$name"; done
} | tee output
diff output - <<'EXPECTED'
Node 24, node:sqlite: "5.0" real, "21000000.0" real, "1714521600123.0" real, "21000000" integer
Node 26, node:sqlite: "5.0" real, "21000000.0" real, "1714521600123.0" real, "21000000" integer
Deno, node:sqlite: "5.0" real, "21000000.0" real, "1714521600123.0" real, "21000000" integer
Bun, bun:sqlite: "5" integer, "21000000" integer, "1714521600123" integer, "21000000" integer
better-sqlite3: "5.0" real, "21000000.0" real, "1714521600123.0" real, "21000000" integer
@libsql/client: "5.0" real, "21000000.0" real, "1714521600123.0" real, "21000000" integer
sql.js: "5" integer, "21000000" integer, "1714521600123.0" real, "21000000" integer
EXPECTED
