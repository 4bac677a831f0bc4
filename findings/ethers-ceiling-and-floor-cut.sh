#!/usr/bin/env bash
# FixedNumber of ethers 6.17.0: ceiling() and floor() both cut the places off, so ceiling() of 1.4 is 1.0 and floor() of -1.4 is -1.0.
# round() adds a half and cuts: it is right for positive numbers, but -1.0 becomes 0.0, -2.9 becomes -2.0, and round(1) of -1.0 is -0.9. So
# fees that are rounded up are not, and losses and debts shrink, whole ones too. Guess: as Math.ceil, Math.floor, Math.round. Round bigints
# oneself. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund ethers@6.17.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { FixedNumber, version } from "ethers"
console.log("ethers", version)
for (const text of ["2.5", "1.5", "1.4", "1.0", "-0.5", "-1.0", "-1.4", "-1.5", "-2.5", "-2.9", "-1000000.0"]) {
  const value = FixedNumber.fromString(text)
  console.log(`${text}: round() ${value.round()}, round(1) ${value.round(1)}, floor() ${value.floor()}, ceiling() ${value.ceiling()}; Math has ${Math.round(text)}, ${Math.floor(text)}, ${Math.ceil(text)}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
ethers 6.17.0
2.5: round() 3.0, round(1) 2.5, floor() 2.0, ceiling() 2.0; Math has 3, 2, 3
1.5: round() 2.0, round(1) 1.5, floor() 1.0, ceiling() 1.0; Math has 2, 1, 2
1.4: round() 1.0, round(1) 1.4, floor() 1.0, ceiling() 1.0; Math has 1, 1, 2
1.0: round() 1.0, round(1) 1.0, floor() 1.0, ceiling() 1.0; Math has 1, 1, 1
-0.5: round() 0.0, round(1) -0.4, floor() 0.0, ceiling() 0.0; Math has 0, -1, 0
-1.0: round() 0.0, round(1) -0.9, floor() -1.0, ceiling() -1.0; Math has -1, -1, -1
-1.4: round() 0.0, round(1) -1.3, floor() -1.0, ceiling() -1.0; Math has -1, -2, -1
-1.5: round() -1.0, round(1) -1.4, floor() -1.0, ceiling() -1.0; Math has -1, -2, -1
-2.5: round() -2.0, round(1) -2.4, floor() -2.0, ceiling() -2.0; Math has -2, -3, -2
-2.9: round() -2.0, round(1) -2.8, floor() -2.0, ceiling() -2.0; Math has -3, -3, -2
-1000000.0: round() -999999.0, round(1) -999999.9, floor() -1000000.0, ceiling() -1000000.0; Math has -1000000, -1000000, -1000000
EXPECTED
