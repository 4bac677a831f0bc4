#!/usr/bin/env bash
# BigDecimal.format of Effect 4.1.0 and 3.22.4 writes an exponent if the number ends with 16 or more zeros or has 16 or more places: 10^18 is
# "1e+18", but 10^18 + 1 has all digits, and 1.000000000000000001 is "1.000000000000000001e+0". So amounts that are round, and those with all
# places of ether, are written differently from the others. Schema.BigDecimal writes JSON so, and BigInt(), NUMERIC columns of readers that
# take digits only, and comparisons of text fail on these rows. Guess: digits, as with bigint and BigDecimal.toPlainString of Java. Needs
# Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as effect3 from "effect3"
import * as effect4 from "effect4"
const versions = {
  "effect 3.22.4": [(text) => effect3.BigDecimal.unsafeFromString(text), effect3.BigDecimal.format, effect3.Schema.encodeSync(effect3.Schema.BigDecimal)],
  "effect 4.1.0": [(text) => effect4.BigDecimal.fromStringUnsafe(text), effect4.BigDecimal.format, effect4.Schema.encodeSync(effect4.Schema.BigDecimalFromString)]
}
const attempt = (run) => {
  try {
    return run()
  } catch {
    return "error"
  }
}
const amounts = [10n ** 15n, 10n ** 16n, 10n ** 18n, 10n ** 18n + 1n, 25n * 10n ** 17n, 0.1, "0.000000000000001", "0.0000000000000001", "1.000000000000001", "1.000000000000000001"]
for (const [name, [parse, format, encode]] of Object.entries(versions)) {
  for (const amount of amounts) {
    const text = format(parse(`${amount}`))
    console.log(`${name}, ${amount}: ${text}, in JSON ${JSON.stringify(encode(parse(`${amount}`)))}, BigInt() ${attempt(() => BigInt(text))}`)
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
effect 3.22.4, 1000000000000000: 1000000000000000, in JSON "1000000000000000", BigInt() 1000000000000000
effect 3.22.4, 10000000000000000: 1e+16, in JSON "1e+16", BigInt() error
effect 3.22.4, 1000000000000000000: 1e+18, in JSON "1e+18", BigInt() error
effect 3.22.4, 1000000000000000001: 1000000000000000001, in JSON "1000000000000000001", BigInt() 1000000000000000001
effect 3.22.4, 2500000000000000000: 2.5e+18, in JSON "2.5e+18", BigInt() error
effect 3.22.4, 0.1: 0.1, in JSON "0.1", BigInt() error
effect 3.22.4, 0.000000000000001: 0.000000000000001, in JSON "0.000000000000001", BigInt() error
effect 3.22.4, 0.0000000000000001: 1e-16, in JSON "1e-16", BigInt() error
effect 3.22.4, 1.000000000000001: 1.000000000000001, in JSON "1.000000000000001", BigInt() error
effect 3.22.4, 1.000000000000000001: 1.000000000000000001e+0, in JSON "1.000000000000000001e+0", BigInt() error
effect 4.1.0, 1000000000000000: 1000000000000000, in JSON "1000000000000000", BigInt() 1000000000000000
effect 4.1.0, 10000000000000000: 1e+16, in JSON "1e+16", BigInt() error
effect 4.1.0, 1000000000000000000: 1e+18, in JSON "1e+18", BigInt() error
effect 4.1.0, 1000000000000000001: 1000000000000000001, in JSON "1000000000000000001", BigInt() 1000000000000000001
effect 4.1.0, 2500000000000000000: 2.5e+18, in JSON "2.5e+18", BigInt() error
effect 4.1.0, 0.1: 0.1, in JSON "0.1", BigInt() error
effect 4.1.0, 0.000000000000001: 0.000000000000001, in JSON "0.000000000000001", BigInt() error
effect 4.1.0, 0.0000000000000001: 1e-16, in JSON "1e-16", BigInt() error
effect 4.1.0, 1.000000000000001: 1.000000000000001, in JSON "1.000000000000001", BigInt() error
effect 4.1.0, 1.000000000000000001: 1.000000000000000001e+0, in JSON "1.000000000000000001e+0", BigInt() error
EXPECTED
