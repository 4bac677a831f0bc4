#!/usr/bin/env bash
# fast-json-stringify 7.3.10, which writes the responses of Fastify, makes each value fit the type of its schema: null, "" and false are 0 of
# an integer or a number, null is "" of a string, so an amount that is not known is a balance of 0. Digits as text of type integer are
# rounded, also in 9007199254740993 and also as format int64; an address of type integer is 6.97e+47. A bigint is exact as an integer, but
# rounded as a number. Nothing is reported; NaN is an error. With nullable, or a list of types, null stays null. Guess: an error, or the
# value as it is. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund fast-json-stringify@7.3.10 >/dev/null

cat >program.mjs <<'PROGRAM'
import build from "fast-json-stringify"
const max = 2n ** 256n - 1n
const show = (value) => (typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? `${value}n` : String(value)).replace(max, "MAX")
const address = "0x7a250d5630b4cf539739df2c5dacb4c659f2488d"
const values = [null, "", false, "9007199254740993", `${max}`, 9007199254740993n, max, "1.9", address, NaN]
for (const schema of [{ type: "integer" }, { type: "integer", format: "int64" }, { type: "number" }, { type: "string" }, { type: "integer", nullable: true }, { type: ["integer", "null"] }]) {
  const stringify = build({ type: "object", properties: { value: schema } })
  const attempt = (value) => {
    try {
      return stringify({ value }).replace('{"value":', "").slice(0, -1).replace(max, "MAX")
    } catch {
      return "error"
    }
  }
  console.log(`${JSON.stringify(schema)}: ${values.map((value) => `${show(value)} is ${attempt(value)}`).join(", ")}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
{"type":"integer"}: null is 0, "" is 0, false is 0, "9007199254740993" is 9007199254740992, "MAX" is 1.157920892373162e+77, 9007199254740993n is 9007199254740993, MAXn is MAX, "1.9" is 1, "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is 6.973231634015965e+47, NaN is error
{"type":"integer","format":"int64"}: null is 0, "" is 0, false is 0, "9007199254740993" is 9007199254740992, "MAX" is 1.157920892373162e+77, 9007199254740993n is 9007199254740993, MAXn is MAX, "1.9" is 1, "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is 6.973231634015965e+47, NaN is error
{"type":"number"}: null is 0, "" is 0, false is 0, "9007199254740993" is 9007199254740992, "MAX" is 1.157920892373162e+77, 9007199254740993n is 9007199254740992, MAXn is 1.157920892373162e+77, "1.9" is 1.9, "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is 6.973231634015965e+47, NaN is error
{"type":"string"}: null is "", "" is "", false is "false", "9007199254740993" is "9007199254740993", "MAX" is "MAX", 9007199254740993n is "9007199254740993", MAXn is "MAX", "1.9" is "1.9", "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is "0x7a250d5630b4cf539739df2c5dacb4c659f2488d", NaN is "NaN"
{"type":"integer","nullable":true}: null is null, "" is 0, false is 0, "9007199254740993" is 9007199254740992, "MAX" is 1.157920892373162e+77, 9007199254740993n is 9007199254740993, MAXn is MAX, "1.9" is 1, "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is 6.973231634015965e+47, NaN is error
{"type":["integer","null"]}: null is null, "" is error, false is error, "9007199254740993" is error, "MAX" is error, 9007199254740993n is error, MAXn is error, "1.9" is error, "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" is error, NaN is error
EXPECTED
