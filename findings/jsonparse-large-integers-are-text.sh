#!/usr/bin/env bash
# jsonparse 1.3.1, the parser under JSONStream 1.3.5, hands an integer over as text if a number would not print it as it was written: from
# 2^53 + 1 on most are strings and the others numbers, so a column of amounts has both types, a sum of two such amounts joins their digits,
# and 10^20 is a number, 10^21 a string. Negative integers are rounded instead, so a balance that falls below zero changes its type and its
# digits. @streamparser/json 0.0.26 rounds all. Guess: rounded numbers, as with JSON.parse. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund JSONStream@1.3.5 jsonparse@1.3.1 @streamparser/json@0.0.26 >/dev/null

cat >program.mjs <<'PROGRAM'
import JSONStream from "JSONStream"
import { JSONParser } from "@streamparser/json"
const max = (2n ** 256n - 1n).toString()
const show = (value) => `${typeof value} ${value}`.replaceAll(max, "MAX")
const read = (text, path) =>
  new Promise((resolve, reject) => {
    const values = []
    const stream = JSONStream.parse(path)
    stream.on("data", (value) => values.push(value)).on("end", () => resolve(values)).on("error", reject)
    stream.end(text)
  })
const parsers = {
  JSONStream: async (text) => (await read(text, "value"))[0],
  "@streamparser/json": (text) => {
    let result
    const parser = new JSONParser({ paths: ["$.value"] })
    parser.onValue = ({ value }) => (result = value)
    parser.write(text)
    return result
  }
}
for (const value of ["9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "100000000000000000000", "1000000000000000000000", max, "-9007199254740993", "1000000000000000000000.0"]) {
  for (const [name, parse] of Object.entries(parsers)) {
    console.log(`${name}, ${value.replace(max, "MAX")}: ${show(await parse(`{"value":${value}}`))}`)
  }
}
const values = await read("[9007199254740993,9007199254740995,1]", "*")
console.log("sum of 9007199254740993, 9007199254740995 and 1:", values.reduce((sum, value) => sum + value))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
JSONStream, 9007199254740991: number 9007199254740991
@streamparser/json, 9007199254740991: number 9007199254740991
JSONStream, 9007199254740992: number 9007199254740992
@streamparser/json, 9007199254740992: number 9007199254740992
JSONStream, 9007199254740993: string 9007199254740993
@streamparser/json, 9007199254740993: number 9007199254740992
JSONStream, 9007199254740994: number 9007199254740994
@streamparser/json, 9007199254740994: number 9007199254740994
JSONStream, 100000000000000000000: number 100000000000000000000
@streamparser/json, 100000000000000000000: number 100000000000000000000
JSONStream, 1000000000000000000000: string 1000000000000000000000
@streamparser/json, 1000000000000000000000: number 1e+21
JSONStream, MAX: string MAX
@streamparser/json, MAX: number 1.157920892373162e+77
JSONStream, -9007199254740993: number -9007199254740992
@streamparser/json, -9007199254740993: number -9007199254740992
JSONStream, 1000000000000000000000.0: number 1e+21
@streamparser/json, 1000000000000000000000.0: number 1e+21
sum of 9007199254740993, 9007199254740995 and 1: 900719925474099390071992547409951
EXPECTED
