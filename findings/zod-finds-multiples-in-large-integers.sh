#!/usr/bin/env bash
# multipleOf of zod 4.6.7 allows for the rounding of fractions, by an amount that grows with the value: from some 10^15 times the step on
# numbers that are none are multiples. So 4503599627370497, a safe integer and odd, is a multiple of 2 for z.int(), and lot sizes are not
# checked where amounts are large. z.bigint() is exact. ajv 8.20.0 and valibot 1.5.0 are exact for safe integers, but refuse 0.07 as a
# multiple of 0.01. Guess: exact for safe integers. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund zod@4.6.7 ajv@8.20.0 valibot@1.5.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { Ajv } from "ajv"
import * as v from "valibot"
import * as z from "zod"
const validators = {
  "zod, number": (value, step) => z.number().multipleOf(step).safeParse(value).success,
  "zod, int": (value, step) => Number.isInteger(value) ? z.int().multipleOf(step).safeParse(value).success : "none",
  "zod, bigint": (value, step) => Number.isInteger(value) ? z.bigint().multipleOf(BigInt(step)).safeParse(BigInt(value)).success : "none",
  ajv: (value, step) => new Ajv().compile({ type: "number", multipleOf: step })(value),
  valibot: (value, step) => v.safeParse(v.pipe(v.number(), v.multipleOf(step)), value).success
}
for (const [value, step] of [[6, 2], [21000001, 2], [1000000000000001, 2], [2251799813685249, 2], [4503599627370497, 2], [9007199254740991, 10], [6000000000000001, 7], [9007199254740991, 1000], [0.07, 0.01], [19.99, 0.01]]) {
  console.log(`${value} of ${step}: ${Object.entries(validators).map(([name, validate]) => `${name} ${validate(value, step)}`).join(", ")}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
6 of 2: zod, number true, zod, int true, zod, bigint true, ajv true, valibot true
21000001 of 2: zod, number false, zod, int false, zod, bigint false, ajv false, valibot false
1000000000000001 of 2: zod, number false, zod, int false, zod, bigint false, ajv false, valibot false
2251799813685249 of 2: zod, number true, zod, int true, zod, bigint false, ajv false, valibot false
4503599627370497 of 2: zod, number true, zod, int true, zod, bigint false, ajv false, valibot false
9007199254740991 of 10: zod, number true, zod, int true, zod, bigint false, ajv false, valibot false
6000000000000001 of 7: zod, number true, zod, int true, zod, bigint false, ajv false, valibot false
9007199254740991 of 1000: zod, number false, zod, int false, zod, bigint false, ajv false, valibot false
0.07 of 0.01: zod, number true, zod, int none, zod, bigint none, ajv false, valibot false
19.99 of 0.01: zod, number true, zod, int none, zod, bigint none, ajv false, valibot false
EXPECTED
