#!/usr/bin/env bash
# DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1), CSV as in RFC 4180: if no cell of the first 20,480 lines is quoted, read_csv finds "no quotes"
# and reads the rest of the file so, without a warning. A later "a ""b""" is text with its quotes, which matches no other table; a later ""
# is two characters; a comma or a line break in quotes is an error that blames the file, or the type. With store_rejects nothing is
# rejected. A quoted name in the header, quote='"' or sample_size=-1 reads every row as it is.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import { DuckDBInstance } from "@duckdb/node-api"
import { writeFileSync } from "node:fs"
const connection = await (await DuckDBInstance.create()).connect()
const read = async (header, plain, last, options = "") => {
  const rows = Array.from({ length: plain }, (_, index) => `token ${index},${index}`)
  writeFileSync("names.csv", [header, ...rows, last, ""].join("\r\n"))
  const result = await connection.runAndReadAll(`select name from read_csv('names.csv'${options}) offset ${plain}`).then(
    (rows) => JSON.stringify(rows.getRowsJson()[0][0]),
    ({ message }) => `error: ${message.split("\n").filter((line) => /Error|Expected|convert/.test(line)).at(-1)}`
  )
  console.log(`header ${header}, then ${plain} plain rows, then ${JSON.stringify(last)}${options}: ${result}`)
}
console.log((await connection.runAndReadAll("select version()")).getRowsJson()[0][0])
const names = [`"a ""b""",7`, `"Skeleton",7`, `"",7`, `"Skeleton, 7",7`, `"two\r\nlines",7`]
for (const name of names) {
  await read("name,id", 1000, name)
  await read("name,id", 21000, name)
}
await read("name,id", 20478, names[0])
await read("name,id", 20479, names[0], ", store_rejects=true")
console.log("rejected:", (await connection.runAndReadAll("select count(*) from reject_errors")).getRowsJson()[0][0])
await read(`"name",id`, 21000, names[0])
for (const options of [`, quote='"'`, ", sample_size=-1"]) await read("name,id", 21000, names[0], options)
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
v1.5.6
header name,id, then 1000 plain rows, then "\"a \"\"b\"\"\",7": "a \"b\""
header name,id, then 21000 plain rows, then "\"a \"\"b\"\"\",7": "\"a \"\"b\"\"\""
header name,id, then 1000 plain rows, then "\"Skeleton\",7": "Skeleton"
header name,id, then 21000 plain rows, then "\"Skeleton\",7": "\"Skeleton\""
header name,id, then 1000 plain rows, then "\"\",7": null
header name,id, then 21000 plain rows, then "\"\",7": "\"\""
header name,id, then 1000 plain rows, then "\"Skeleton, 7\",7": "Skeleton, 7"
header name,id, then 21000 plain rows, then "\"Skeleton, 7\",7": error: Expected Number of Columns: 2 Found: 3
header name,id, then 1000 plain rows, then "\"two\r\nlines\",7": "two\r\nlines"
header name,id, then 21000 plain rows, then "\"two\r\nlines\",7": error: Expected Number of Columns: 2 Found: 1
header name,id, then 20478 plain rows, then "\"a \"\"b\"\"\",7": "a \"b\""
header name,id, then 20479 plain rows, then "\"a \"\"b\"\"\",7", store_rejects=true: "\"a \"\"b\"\"\""
rejected: 0
header "name",id, then 21000 plain rows, then "\"a \"\"b\"\"\",7": "a \"b\""
header name,id, then 21000 plain rows, then "\"a \"\"b\"\"\",7", quote='"': "a \"b\""
header name,id, then 21000 plain rows, then "\"a \"\"b\"\"\",7", sample_size=-1: "a \"b\""
EXPECTED
