#!/usr/bin/env bash
# Schema.NumberFromString of Effect 4.1.0 decodes every text: an amount with a separator is NaN, an empty or blank one is 0, both as success;
# Effect 3.22.4 rejects them. FiniteFromString of 4 rejects NaN, but a blank text is 0 as well. A setting read with Schema.Number by Config
# rejects all of these, hex too, so the same text means three things in one program. BigIntFromString of 4 goes the other way: it rejects
# "0x10", "+5" and " 5 ", which Schema.BigInt of 3 reads. Guess: what 3 does, under a new name. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect@4.1.0 effect3@npm:effect@3.22.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Schema3 from "effect3/Schema"

const attempt = (run) => {
  try {
    return String(run())
  } catch {
    return "error"
  }
}
const setting = (text) =>
  Effect.runSync(Config.schema(Schema.Number, "LIMIT").parse(ConfigProvider.fromEnv({ env: { LIMIT: text } })))
for (const text of ["", " ", "1,000", "1_000", "5 s", "0x10", "+5", " 5 ", "1e3"]) {
  const results = {
    "3 NumberFromString": () => Schema3.decodeSync(Schema3.NumberFromString)(text),
    "4 NumberFromString": () => Schema.decodeSync(Schema.NumberFromString)(text),
    "4 FiniteFromString": () => Schema.decodeSync(Schema.FiniteFromString)(text),
    "4 Config": () => setting(text),
    "3 BigInt": () => Schema3.decodeSync(Schema3.BigInt)(text),
    "4 BigIntFromString": () => Schema.decodeSync(Schema.BigIntFromString)(text)
  }
  console.log(`${JSON.stringify(text)}: ${Object.entries(results).map(([name, run]) => `${name} ${attempt(run)}`).join(", ")}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
"": 3 NumberFromString error, 4 NumberFromString 0, 4 FiniteFromString 0, 4 Config error, 3 BigInt error, 4 BigIntFromString error
" ": 3 NumberFromString error, 4 NumberFromString 0, 4 FiniteFromString 0, 4 Config error, 3 BigInt error, 4 BigIntFromString error
"1,000": 3 NumberFromString error, 4 NumberFromString NaN, 4 FiniteFromString error, 4 Config error, 3 BigInt error, 4 BigIntFromString error
"1_000": 3 NumberFromString error, 4 NumberFromString NaN, 4 FiniteFromString error, 4 Config error, 3 BigInt error, 4 BigIntFromString error
"5 s": 3 NumberFromString error, 4 NumberFromString NaN, 4 FiniteFromString error, 4 Config error, 3 BigInt error, 4 BigIntFromString error
"0x10": 3 NumberFromString 16, 4 NumberFromString 16, 4 FiniteFromString 16, 4 Config error, 3 BigInt 16, 4 BigIntFromString error
"+5": 3 NumberFromString 5, 4 NumberFromString 5, 4 FiniteFromString 5, 4 Config 5, 3 BigInt 5, 4 BigIntFromString error
" 5 ": 3 NumberFromString 5, 4 NumberFromString 5, 4 FiniteFromString 5, 4 Config error, 3 BigInt 5, 4 BigIntFromString error
"1e3": 3 NumberFromString 1000, 4 NumberFromString 1000, 4 FiniteFromString 1000, 4 Config 1000, 3 BigInt error, 4 BigIntFromString error
EXPECTED
