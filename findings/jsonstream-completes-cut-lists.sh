#!/usr/bin/env bash
# JSONStream 1.3.5 takes a document that ends too early for a whole one: the stream emits the records that it has and then "end", with no
# "error", whether the document stops between records, within one, or after "[". So a list that was cut is imported as complete. A document
# that is wrong in its middle is an error. stream-json 3.8.0 and JSON.parse report each of these. Guess: an error at the end of the input.
# Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund JSONStream@1.3.5 stream-json@3.8.0 stream-chain@4.4.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import JSONStream from "JSONStream"
import chain from "stream-chain"
import { parser } from "stream-json"
import { streamArray } from "stream-json/streamers/stream-array.js"
const run = (text, stream) =>
  new Promise((resolve) => {
    let records = 0
    const finish = (end) => () => resolve(`${end} after ${records} records`)
    stream.on("data", () => records++).on("end", finish("end")).on("error", finish("error"))
    stream.end(text)
  })
const documents = {
  whole: '[{"id":1},{"id":2},{"id":3}]',
  "cut between records": '[{"id":1},{"id":2},',
  "cut before the end": '[{"id":1},{"id":2}',
  "cut in a record": '[{"id":1},{"id":2},{"i',
  "cut in a text": '[{"id":1},{"id":2},{"id":"3',
  "cut at its start": "[",
  "wrong in its middle": '[{"id":1},{"id":2}{"id":3}]'
}
for (const [name, text] of Object.entries(documents)) {
  console.log(`${name}: JSONStream ${await run(text, JSONStream.parse("*"))}, stream-json ${await run(text, chain([parser(), streamArray()]))}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
whole: JSONStream end after 3 records, stream-json end after 3 records
cut between records: JSONStream end after 2 records, stream-json error after 2 records
cut before the end: JSONStream end after 2 records, stream-json error after 2 records
cut in a record: JSONStream end after 2 records, stream-json error after 2 records
cut in a text: JSONStream end after 2 records, stream-json error after 2 records
cut at its start: JSONStream end after 0 records, stream-json error after 0 records
wrong in its middle: JSONStream error after 2 records, stream-json error after 0 records
EXPECTED
