#!/usr/bin/env bash
# An empty cell or query parameter (?min=) that is converted to an amount is 0: toBigint and toNumber of valibot 1.5.0, z.coerce of zod 4.6.7
# and Value.Convert to an integer of typebox 1.4.3 take "" and " " for 0; ajv 8.20.0 with coerceTypes refuses "" and takes " ". typebox makes
# 0n of null, and 1n of "1.9" though it refuses "1e18" and "". A hexadecimal text is a number in most. Effect 4.1.0's BigIntFromString and
# arktype 2.2.10 refuse all of these. Guess: an error, as for "abc". A pattern of digits before the conversion. Needs Node 22 or later and
# the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node24@npm:node@24.21.0 zod@4.6.7 ajv@8.20.0 valibot@1.5.0 typebox@1.4.3 arktype@2.2.10 effect@4.1.0 \
  >/dev/null

cat >program.mjs <<'PROGRAM'
import { Ajv } from "ajv"
import { type } from "arktype"
import { Schema } from "effect"
import Type from "typebox"
import Value from "typebox/value"
import * as v from "valibot"
import * as z from "zod"
const ajv = new Ajv({ coerceTypes: true }).compile({ type: "object", properties: { value: { type: "integer" } } })
const typebox = (type) => (value) => {
  const result = Value.Convert(type, value)
  if (!Value.Check(type, result)) throw new Error("invalid")
  return result
}
const converters = {
  "valibot, toBigint": (value) => v.parse(v.pipe(v.string(), v.toBigint()), value),
  "valibot, toNumber": (value) => v.parse(v.pipe(v.string(), v.toNumber()), value),
  "zod, coerce.bigint": (value) => z.coerce.bigint().parse(value),
  "zod, coerce.int": (value) => z.coerce.number().int().parse(value),
  "typebox, BigInt": typebox(Type.BigInt()),
  "typebox, Integer": typebox(Type.Integer()),
  "ajv, integer": (value) => {
    const data = { value }
    if (!ajv(data)) throw new Error("invalid")
    return data.value
  },
  "arktype, string.integer.parse": (value) => type("string.integer.parse").assert(value),
  "effect, BigIntFromString": (value) => Schema.decodeUnknownSync(Schema.BigIntFromString)(value)
}
const show = (run) => {
  try {
    const value = run()
    return typeof value === "bigint" ? `${value}n` : String(value)
  } catch {
    return "error"
  }
}
for (const [name, convert] of Object.entries(converters)) {
  console.log(`${name}: ${["", " ", null, "0x10", "1e18", "1.9", "abc", "5"].map((value) => `${JSON.stringify(value)} ${show(() => convert(value))}`).join(", ")}`)
}
PROGRAM

node_modules/node24/bin/node program.mjs | tee output
diff output - <<'EXPECTED'
valibot, toBigint: "" 0n, " " 0n, null error, "0x10" 16n, "1e18" error, "1.9" error, "abc" error, "5" 5n
valibot, toNumber: "" 0, " " 0, null error, "0x10" 16, "1e18" 1000000000000000000, "1.9" 1.9, "abc" error, "5" 5
zod, coerce.bigint: "" 0n, " " 0n, null error, "0x10" 16n, "1e18" error, "1.9" error, "abc" error, "5" 5n
zod, coerce.int: "" 0, " " 0, null 0, "0x10" 16, "1e18" error, "1.9" error, "abc" error, "5" 5
typebox, BigInt: "" error, " " error, null 0n, "0x10" error, "1e18" error, "1.9" 1n, "abc" error, "5" 5n
typebox, Integer: "" 0, " " 0, null 0, "0x10" 16, "1e18" 1000000000000000000, "1.9" 1, "abc" error, "5" 5
ajv, integer: "" error, " " 0, null 0, "0x10" 16, "1e18" 1000000000000000000, "1.9" error, "abc" error, "5" 5
arktype, string.integer.parse: "" error, " " error, null error, "0x10" error, "1e18" error, "1.9" error, "abc" error, "5" 5
effect, BigIntFromString: "" error, " " error, null error, "0x10" error, "1e18" error, "1.9" error, "abc" error, "5" 5n
EXPECTED
