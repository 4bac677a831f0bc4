#!/usr/bin/env bash
# unstorage 1.17.6, the storage of Nitro and Nuxt, writes a text as it is and parses it when it is read: getItem after setItem("k", "123") is
# a number, and 9999999999999999 is 10000000000000000. The symbols of tokens 1E5, TRUE, NAN, NULL, UNDEFINED are numbers, true, NaN, null (as
# if the key were missing) and undefined. Integers with more than 16 digits, and those that begin with 0, stay text, so one column of amounts
# has both types. A bigint comes back as a number. Guess: what was stored. getItemRaw, and objects with a text in them, are exact. Needs Node
# 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund unstorage@1.17.6 >/dev/null

cat >program.mjs <<'PROGRAM'
import { createStorage } from "unstorage"
import fsDriver from "unstorage/drivers/fs"
const show = (value) => (typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? `${value}n` : typeof value === "object" ? JSON.stringify(value) : String(value))
const values = ["123", "9007199254740993", "9999999999999999", "12345678901234567", "1.10", "0123", "1E5", "1e400", "TRUE", "NAN", "NULL", "UNDEFINED", '"q"', 123n, 2n ** 64n, { value: "123" }]
for (const [name, options] of Object.entries({ memory: {}, files: { driver: fsDriver({ base: "./files" }) } })) {
  const storage = createStorage(options)
  for (const value of values) {
    await storage.setItem("k", value)
    console.log(`${name}, ${show(value)}: getItem ${show(await storage.getItem("k"))}, getItemRaw ${show(String(await storage.getItemRaw("k")))}`)
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
memory, "123": getItem 123, getItemRaw "123"
memory, "9007199254740993": getItem 9007199254740992, getItemRaw "9007199254740993"
memory, "9999999999999999": getItem 10000000000000000, getItemRaw "9999999999999999"
memory, "12345678901234567": getItem "12345678901234567", getItemRaw "12345678901234567"
memory, "1.10": getItem 1.1, getItemRaw "1.10"
memory, "0123": getItem "0123", getItemRaw "0123"
memory, "1E5": getItem 100000, getItemRaw "1E5"
memory, "1e400": getItem Infinity, getItemRaw "1e400"
memory, "TRUE": getItem true, getItemRaw "TRUE"
memory, "NAN": getItem NaN, getItemRaw "NAN"
memory, "NULL": getItem null, getItemRaw "NULL"
memory, "UNDEFINED": getItem undefined, getItemRaw "UNDEFINED"
memory, "\"q\"": getItem "q", getItemRaw "\"q\""
memory, 123n: getItem 123, getItemRaw "123"
memory, 18446744073709551616n: getItem "18446744073709551616", getItemRaw "18446744073709551616"
memory, {"value":"123"}: getItem {"value":"123"}, getItemRaw "{\"value\":\"123\"}"
files, "123": getItem 123, getItemRaw "123"
files, "9007199254740993": getItem 9007199254740992, getItemRaw "9007199254740993"
files, "9999999999999999": getItem 10000000000000000, getItemRaw "9999999999999999"
files, "12345678901234567": getItem "12345678901234567", getItemRaw "12345678901234567"
files, "1.10": getItem 1.1, getItemRaw "1.10"
files, "0123": getItem "0123", getItemRaw "0123"
files, "1E5": getItem 100000, getItemRaw "1E5"
files, "1e400": getItem Infinity, getItemRaw "1e400"
files, "TRUE": getItem true, getItemRaw "TRUE"
files, "NAN": getItem NaN, getItemRaw "NAN"
files, "NULL": getItem null, getItemRaw "NULL"
files, "UNDEFINED": getItem undefined, getItemRaw "UNDEFINED"
files, "\"q\"": getItem "q", getItemRaw "\"q\""
files, 123n: getItem 123, getItemRaw "123"
files, 18446744073709551616n: getItem "18446744073709551616", getItemRaw "18446744073709551616"
files, {"value":"123"}: getItem {"value":"123"}, getItemRaw "{\"value\":\"123\"}"
EXPECTED
