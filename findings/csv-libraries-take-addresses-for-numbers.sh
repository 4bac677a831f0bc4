#!/usr/bin/env bash
# Readers of CSV for JavaScript that are asked for types: csv-parse 7.0.3 with cast: true reads each address and hash as 0, since "0x7a25..."
# counts as a number and parseFloat stops at the x. autoType of d3-dsv 3.0.2, xlsx 0.18.5 (SheetJS) and exceljs 4.4.0 (in the last two
# without being asked) read it as 6.97e+47, so addresses that begin alike are one. Papa Parse 5.7.1 with dynamicTyping keeps addresses, and
# has numbers up to 2^53 and text beyond in one column. A name like (5) is -5 in xlsx. Guess: what begins with 0x is text. Needs Node 20 or
# later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund csv-parse@7.0.3 d3-dsv@3.0.2 papaparse@5.7.1 xlsx@0.18.5 exceljs@4.4.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { parse } from "csv-parse/sync"
import { autoType, csvParse } from "d3-dsv"
import exceljs from "exceljs"
import { writeFileSync } from "node:fs"
import Papa from "papaparse"
import xlsx from "xlsx"
const cells = ["0x7a250d5630b4cf539739df2c5dacb4c659f2488d", "0x7a250d5630b4cf539739df2c5dacb4c659f20000", "0x10d4f", "9007199254740991", "9007199254740993", "1E5", "0123", "(5)", "TRUE"]
const text = ["name", ...cells, ""].join("\r\n")
writeFileSync("cells.csv", text)
const readers = {
  "csv-parse, cast": () => parse(text, { columns: true, cast: true }).map(({ name }) => name),
  "d3-dsv, autoType": () => csvParse(text, autoType).map(({ name }) => name),
  "papaparse, dynamicTyping": () => Papa.parse(text, { header: true, dynamicTyping: true, skipEmptyLines: true }).data.map(({ name }) => name),
  xlsx: () => xlsx.utils.sheet_to_json(xlsx.read(text, { type: "string" }).Sheets.Sheet1).map(({ name }) => name),
  exceljs: async () => {
    const values = []
    const sheet = await new exceljs.Workbook().csv.readFile("cells.csv")
    sheet.eachRow((row) => values.push(row.values[1]))
    return values.slice(1)
  }
}
const show = (value) => (value instanceof Date ? "a date" : typeof value === "string" ? `"${value.replace(/(?<=^0x.{4}).{30,}(?=.{4}$)/, "...")}"` : String(value))
for (const [name, read] of Object.entries(readers)) {
  const values = await read()
  console.log(`${name}: ${cells.map((cell, index) => `${show(cell)} ${show(values[index])}`).join(", ")}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
csv-parse, cast: "0x7a25...488d" 0, "0x7a25...0000" 0, "0x10d4f" 0, "9007199254740991" 9007199254740991, "9007199254740993" 9007199254740992, "1E5" 100000, "0123" 123, "(5)" "(5)", "TRUE" "TRUE"
d3-dsv, autoType: "0x7a25...488d" 6.973231634015965e+47, "0x7a25...0000" 6.973231634015965e+47, "0x10d4f" 68943, "9007199254740991" 9007199254740991, "9007199254740993" 9007199254740992, "1E5" 100000, "0123" 123, "(5)" "(5)", "TRUE" "TRUE"
papaparse, dynamicTyping: "0x7a25...488d" "0x7a25...488d", "0x7a25...0000" "0x7a25...0000", "0x10d4f" "0x10d4f", "9007199254740991" 9007199254740991, "9007199254740993" "9007199254740993", "1E5" 100000, "0123" 123, "(5)" "(5)", "TRUE" true
xlsx: "0x7a25...488d" 6.973231634015965e+47, "0x7a25...0000" 6.973231634015965e+47, "0x10d4f" 68943, "9007199254740991" 9007199254740991, "9007199254740993" 9007199254740992, "1E5" 100000, "0123" 123, "(5)" -5, "TRUE" true
exceljs: "0x7a25...488d" 6.973231634015965e+47, "0x7a25...0000" 6.973231634015965e+47, "0x10d4f" 68943, "9007199254740991" 9007199254740991, "9007199254740993" 9007199254740992, "1E5" 100000, "0123" 123, "(5)" "(5)", "TRUE" "TRUE"
EXPECTED
