#!/usr/bin/env bash
# Parsers of command lines take each word that is a number for one, unless the option is declared as text: --address 0x7a25... is 6.97e+47 in
# minimist 1.2.8, mri 1.2.0 and what is built on it (cac 7.1.0, sade 1.8.1, whose "<address>" is no type), and yargs-parser 22.0.0, which
# leaves large decimal digits as text but not hexadecimal ones; arguments without a name too in minimist and yargs-parser. Two addresses that
# begin alike are then the same. --symbol 1E5 is 100000 in mri, cac and sade, --key 0123 is 123 in these and in minimist. Guess: text, as in
# process.argv. node:util's parseArgs keeps it; `string: ["address"]` helps. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund minimist@1.2.8 mri@1.2.0 cac@7.1.0 sade@1.8.1 yargs-parser@22.0.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { cac } from "cac"
import minimist from "minimist"
import mri from "mri"
import { parseArgs } from "node:util"
import sade from "sade"
import yargsParser from "yargs-parser"
const parsers = {
  minimist: ({ option, argument }) => {
    const { _, word } = minimist([`--word`, option, argument])
    return [word, _[0]]
  },
  mri: ({ option, argument }) => {
    const { _, word } = mri([`--word`, option, argument])
    return [word, _[0]]
  },
  "yargs-parser": ({ option, argument }) => {
    const { _, word } = yargsParser([`--word`, option, argument])
    return [word, _[0]]
  },
  cac: ({ option, argument }) => {
    let result
    const program = cac("program")
    program.command("read <argument>").option("--word <word>", "A word").action((argument, { word }) => (result = [word, argument]))
    program.parse(["node", "program", "read", argument, "--word", option])
    return result
  },
  sade: ({ option, argument }) => {
    let result
    const program = sade("program").command("read <argument>").option("--word", "A word").action((argument, { word }) => (result = [word, argument]))
    program.parse(["node", "program", "read", argument, "--word", option])
    return result
  },
  "minimist with string": ({ option, argument }) => {
    const { _, word } = minimist([`--word`, option, argument], { string: ["word", "_"] })
    return [word, _[0]]
  },
  parseArgs: ({ option, argument }) => {
    const { values, positionals } = parseArgs({ args: ["--word", option, argument], options: { word: { type: "string" } }, allowPositionals: true })
    return [values.word, positionals[0]]
  }
}
const show = (value) => (typeof value === "string" ? `"${value}"` : String(value)).replace("0x7a250d5630b4cf539739df2c5dacb4c659f2488d", "0x7a25...")
for (const word of ["0x7a250d5630b4cf539739df2c5dacb4c659f2488d", "9007199254740993", "1E5", "0123"]) {
  for (const [name, parse] of Object.entries(parsers)) {
    const [option, argument] = parse({ option: word, argument: word })
    console.log(`${name}, ${show(word)}: option ${show(option)}, argument ${show(argument)}`)
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
minimist, "0x7a25...": option 6.973231634015965e+47, argument 6.973231634015965e+47
mri, "0x7a25...": option 6.973231634015965e+47, argument "0x7a25..."
yargs-parser, "0x7a25...": option 6.973231634015965e+47, argument 6.973231634015965e+47
cac, "0x7a25...": option 6.973231634015965e+47, argument "0x7a25..."
sade, "0x7a25...": option 6.973231634015965e+47, argument "0x7a25..."
minimist with string, "0x7a25...": option "0x7a25...", argument "0x7a25..."
parseArgs, "0x7a25...": option "0x7a25...", argument "0x7a25..."
minimist, "9007199254740993": option 9007199254740992, argument 9007199254740992
mri, "9007199254740993": option 9007199254740992, argument "9007199254740993"
yargs-parser, "9007199254740993": option "9007199254740993", argument "9007199254740993"
cac, "9007199254740993": option 9007199254740992, argument "9007199254740993"
sade, "9007199254740993": option 9007199254740992, argument "9007199254740993"
minimist with string, "9007199254740993": option "9007199254740993", argument "9007199254740993"
parseArgs, "9007199254740993": option "9007199254740993", argument "9007199254740993"
minimist, "1E5": option "1E5", argument "1E5"
mri, "1E5": option 100000, argument "1E5"
yargs-parser, "1E5": option "1E5", argument "1E5"
cac, "1E5": option 100000, argument "1E5"
sade, "1E5": option 100000, argument "1E5"
minimist with string, "1E5": option "1E5", argument "1E5"
parseArgs, "1E5": option "1E5", argument "1E5"
minimist, "0123": option 123, argument 123
mri, "0123": option 123, argument "0123"
yargs-parser, "0123": option "0123", argument "0123"
cac, "0123": option 123, argument "0123"
sade, "0123": option 123, argument "0123"
minimist with string, "0123": option "0123", argument "0123"
parseArgs, "0123": option "0123", argument "0123"
EXPECTED
