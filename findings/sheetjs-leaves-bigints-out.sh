#!/usr/bin/env bash
# xlsx 0.18.5 (SheetJS): json_to_sheet makes an empty cell of a bigint, without an error: in the file and the CSV that are made of the sheet
# the amount is missing, small ones too, and a sum in the spreadsheet counts it as 0. aoa_to_sheet of the same package keeps the digits as
# text, and so does text of digits in both. exceljs 4.4.0 reports an error. Guess: digits as text, or an error. String(value) before. Needs
# Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund xlsx@0.18.5 exceljs@4.4.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import exceljs from "exceljs"
import xlsx from "xlsx"
const rows = [{ hash: "0x1", value: 5n }, { hash: "0x2", value: 2n ** 200n }, { hash: "0x3", value: "5" }]
const sheets = { json_to_sheet: xlsx.utils.json_to_sheet(rows), aoa_to_sheet: xlsx.utils.aoa_to_sheet([["hash", "value"], ...rows.map((row) => Object.values(row))]) }
for (const [name, sheet] of Object.entries(sheets)) {
  const book = xlsx.utils.book_new(sheet)
  if (book.SheetNames.length === 0) xlsx.utils.book_append_sheet(book, sheet)
  const read = xlsx.read(xlsx.write(book, { type: "buffer", bookType: "xlsx" })).Sheets.Sheet1
  console.log(`${name}: CSV ${JSON.stringify(xlsx.utils.sheet_to_csv(sheet))}, xlsx read again ${JSON.stringify(xlsx.utils.sheet_to_json(read))}`)
}
const write = async () => {
  const workbook = new exceljs.Workbook()
  workbook.addWorksheet("Sheet1").addRows(rows.map((row) => Object.values(row)))
  await workbook.xlsx.writeBuffer()
}
console.log("exceljs:", await write().then(() => "written", ({ name }) => name))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
json_to_sheet: CSV "hash,value\n0x1,\n0x2,\n0x3,5", xlsx read again [{"hash":"0x1"},{"hash":"0x2"},{"hash":"0x3","value":"5"}]
aoa_to_sheet: CSV "hash,value\n0x1,5\n0x2,1606938044258990275541962092341162602522202993782792835301376\n0x3,5", xlsx read again [{"hash":"0x1","value":"5"},{"hash":"0x2","value":"1606938044258990275541962092341162602522202993782792835301376"},{"hash":"0x3","value":"5"}]
exceljs: TypeError
EXPECTED
