#!/usr/bin/env bash
# The smallest units of a text with more places than the token has: viem 2.57.20 and ox 1.8.3 round half away from zero, so
# 0.9999999999999999999 is a whole unit and may be more than a balance; dnum 2.17.0 cuts the places off; ethers 6.17.0 reports an error.
# toWei of web3-utils 4.3.3 (web3 4.16.0) cuts them off too, but if nothing is left it returns "" instead of "0", and "-" for a negative
# text. Guess: an error, or one way of rounding. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund viem@2.57.20 ox@1.8.3 ethers@6.17.0 web3-utils@4.3.3 dnum@2.17.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as dnum from "dnum"
import * as ethers from "ethers"
import { Value } from "ox"
import * as viem from "viem"
import * as web3 from "web3-utils"
const functions = {
  "viem parseUnits": (text, decimals) => viem.parseUnits(text, decimals),
  "ox Value.from": (text, decimals) => Value.from(text, decimals),
  "dnum from": (text, decimals) => dnum.from(text, decimals)[0],
  "web3 toWei": (text, decimals) => web3.toWei(text, decimals),
  "ethers parseUnits": (text, decimals) => ethers.parseUnits(text, decimals)
}
const show = (value) => (typeof value === "bigint" ? `${value}n` : JSON.stringify(value))
for (const [text, decimals] of [["0.9999999999999999999", 18], ["1.5", 0], ["0.0000005", 6], ["-0.0000005", 6], ["0.0000004", 6]]) {
  console.log(`${text} with ${decimals} decimals`)
  for (const [name, convert] of Object.entries(functions)) {
    let result
    try {
      result = show(convert(text, decimals))
    } catch (error) {
      result = error.code ?? error.name
    }
    console.log(`  ${name}: ${result}`)
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
0.9999999999999999999 with 18 decimals
  viem parseUnits: 1000000000000000000n
  ox Value.from: 1000000000000000000n
  dnum from: 999999999999999999n
  web3 toWei: "999999999999999999"
  ethers parseUnits: NUMERIC_FAULT
1.5 with 0 decimals
  viem parseUnits: 2n
  ox Value.from: 2n
  dnum from: 1n
  web3 toWei: "1"
  ethers parseUnits: NUMERIC_FAULT
0.0000005 with 6 decimals
  viem parseUnits: 1n
  ox Value.from: 1n
  dnum from: 0n
  web3 toWei: ""
  ethers parseUnits: NUMERIC_FAULT
-0.0000005 with 6 decimals
  viem parseUnits: -1n
  ox Value.from: -1n
  dnum from: 0n
  web3 toWei: "-"
  ethers parseUnits: NUMERIC_FAULT
0.0000004 with 6 decimals
  viem parseUnits: 0n
  ox Value.from: 0n
  dnum from: 0n
  web3 toWei: ""
  ethers parseUnits: NUMERIC_FAULT
EXPECTED
