#!/usr/bin/env bash
# json-bigint 1.0.0 with useNativeBigInt makes a BigInt of each number with more than 15 characters, also of fractions: a price of
# 0.12345678901234, and of 1,000 prices n / 997 as JSON.stringify writes them 999, is a SyntaxError for the whole document, 0.1234567890123
# is not. So a service reads one response and not the next. The sign counts as a character: 123456789012345 is a number, -123456789012345 a
# bigint, so their sum is a TypeError; 1e30 is a number and 1000000000000000 a bigint. With storeAsString prices are text or numbers in the
# same way. Guess: integers beyond 2^53 are bigints and the rest numbers. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund json-bigint@1.0.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import JSONbig from "json-bigint"
const options = { useNativeBigInt: true, storeAsString: true }
const attempt = (run) => {
  try {
    const value = run()
    return `${typeof value} ${value}`
  } catch (error) {
    return error.name
  }
}
for (const text of ["123456789012345", "-123456789012345", "1000000000000000", "1e30", "0.1234567890123", "0.12345678901234", "0.1234567890123456", "-0.12345678901234", JSON.stringify(1 / 3), JSON.stringify(2 / 3 * 1e-7), "100000000000.0000"]) {
  const results = Object.keys(options).map((option) => `${option} ${attempt(() => JSONbig({ [option]: true }).parse(`{"value":${text}}`).value)}`)
  console.log(`${text}: ${results.join(", ")}`)
}
let failed = 0
for (let index = 1; index <= 1000; index++) failed += attempt(() => JSONbig({ useNativeBigInt: true }).parse(JSON.stringify(index / 997))) === "SyntaxError"
console.log(`of 1000 prices index / 997: ${failed} fail`)
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
123456789012345: useNativeBigInt number 123456789012345, storeAsString number 123456789012345
-123456789012345: useNativeBigInt bigint -123456789012345, storeAsString string -123456789012345
1000000000000000: useNativeBigInt bigint 1000000000000000, storeAsString string 1000000000000000
1e30: useNativeBigInt number 1e+30, storeAsString number 1e+30
0.1234567890123: useNativeBigInt number 0.1234567890123, storeAsString number 0.1234567890123
0.12345678901234: useNativeBigInt SyntaxError, storeAsString string 0.12345678901234
0.1234567890123456: useNativeBigInt SyntaxError, storeAsString string 0.1234567890123456
-0.12345678901234: useNativeBigInt SyntaxError, storeAsString string -0.12345678901234
0.3333333333333333: useNativeBigInt SyntaxError, storeAsString string 0.3333333333333333
6.666666666666665e-8: useNativeBigInt SyntaxError, storeAsString string 6.666666666666665e-8
100000000000.0000: useNativeBigInt SyntaxError, storeAsString string 100000000000.0000
of 1000 prices index / 997: 999 fail
EXPECTED
