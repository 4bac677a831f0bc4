#!/usr/bin/env bash
# Miller 6.6.0 from CSV to JSON, with cat alone: a cell that Miller takes for a number is written without quotes and as it was, also where
# JSON has no such number: 0x10d4f (block numbers and gas prices as nodes send them), 0b11, 0o17, .5, 5. and the zero address and others
# below 2^64. JSON.parse cannot read the file, while a larger address or 007, in quotes, is fine: a file breaks with the first contract at a
# low address. Guess: valid JSON, as text or decimal. -S or --jvquoteall, which write each cell as text. Needs Debian 12, apt and Node; runs
# the package in a temporary folder.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root miller=6.6.0-2+b3
dpkg -x miller_*.deb root

cat >program.mjs <<'PROGRAM'
import { execFileSync } from "node:child_process"
const mlr = (options, cell) => execFileSync("root/usr/bin/mlr", [...options, "--icsv", "--ojsonl", "cat"], { input: `cell\n${cell}\n`, encoding: "utf8" }).trim()
const valid = (text) => {
  try {
    JSON.parse(text)
    return "valid"
  } catch {
    return "invalid"
  }
}
const cells = ["21000000", "0x10d4f", "0x0000000000000000000000000000000000000000", "0x0000000000000000000000000000000000000808", "0x7a250d5630b4cf539739df2c5dacb4c659f2488d", "0b11", "0o17", ".5", "5.", "007", "1E5"]
for (const cell of cells) {
  const text = mlr([], cell)
  console.log(`${cell}: ${text}, ${valid(text)}; with -S ${valid(mlr(["-S"], cell))}, with --jvquoteall ${valid(mlr(["--jvquoteall"], cell))}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
21000000: {"cell": 21000000}, valid; with -S valid, with --jvquoteall valid
0x10d4f: {"cell": 0x10d4f}, invalid; with -S valid, with --jvquoteall valid
0x0000000000000000000000000000000000000000: {"cell": 0x0000000000000000000000000000000000000000}, invalid; with -S valid, with --jvquoteall valid
0x0000000000000000000000000000000000000808: {"cell": 0x0000000000000000000000000000000000000808}, invalid; with -S valid, with --jvquoteall valid
0x7a250d5630b4cf539739df2c5dacb4c659f2488d: {"cell": "0x7a250d5630b4cf539739df2c5dacb4c659f2488d"}, valid; with -S valid, with --jvquoteall valid
0b11: {"cell": 0b11}, invalid; with -S valid, with --jvquoteall valid
0o17: {"cell": 0o17}, invalid; with -S valid, with --jvquoteall valid
.5: {"cell": .5}, invalid; with -S valid, with --jvquoteall valid
5.: {"cell": 5.}, invalid; with -S valid, with --jvquoteall valid
007: {"cell": "007"}, valid; with -S valid, with --jvquoteall valid
1E5: {"cell": 1E5}, valid; with -S valid, with --jvquoteall valid
EXPECTED
