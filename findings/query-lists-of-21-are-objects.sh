#!/usr/bin/env bash
# qs 6.17.1 (of Express with the "extended" parser, and of many clients): a parameter that is given up to 20 times is an array, and from 21
# times on an object with the keys 0 to 20, without length and for...of. The same for a[]=, and for one text with commas and comma: true.
# Beyond 1,000 parameters the rest is dropped without an error, by querystring of Node 20 (Express's "simple" parser) too; one address more
# than 1,000 in a query is just not looked up. fast-querystring 1.1.2 (Fastify) and URLSearchParams have all, as arrays. Guess: an array of
# all. Larger limits take them, throwOnLimitExceeded reports it. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund qs@6.17.1 fast-querystring@1.1.2 >/dev/null

cat >program.mjs <<'PROGRAM'
import fastQuerystring from "fast-querystring"
import querystring from "node:querystring"
import qs from "qs"
const parsers = {
  qs: (query) => qs.parse(query).address,
  "qs with limits that throw": (query) => qs.parse(query, { throwOnLimitExceeded: true }).address,
  "qs with limits of 1500": (query) => qs.parse(query, { arrayLimit: 1500, parameterLimit: 1500 }).address,
  querystring: (query) => querystring.parse(query).address,
  "fast-querystring": (query) => fastQuerystring.parse(query).address,
  URLSearchParams: (query) => new URLSearchParams(query).getAll("address")
}
const show = (parse) => {
  try {
    const value = parse()
    return `${value.constructor?.name ?? "Object"} of ${Object.keys(value).length}`
  } catch {
    return "error"
  }
}
const values = (count) => Array.from({ length: count }, (_, index) => `0x${index}`)
for (const [name, parse] of Object.entries(parsers)) {
  const counts = [20, 21, 1000, 1001, 1500].map((count) => `${count} values ${show(() => parse(values(count).map((value) => `address=${value}`).join("&")))}`)
  console.log(`${name}: ${counts.join(", ")}`)
}
for (const count of [20, 21]) {
  console.log(`qs, ${count} values of address[]: ${show(() => qs.parse(values(count).map((value) => `address[]=${value}`).join("&")).address)}`)
  console.log(`qs, ${count} values with commas: ${show(() => qs.parse(`address=${values(count)}`, { comma: true }).address)}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
qs: 20 values Array of 20, 21 values Object of 21, 1000 values Object of 1000, 1001 values Object of 1000, 1500 values Object of 1000
qs with limits that throw: 20 values Array of 20, 21 values error, 1000 values error, 1001 values error, 1500 values error
qs with limits of 1500: 20 values Array of 20, 21 values Array of 21, 1000 values Array of 1000, 1001 values Array of 1001, 1500 values Array of 1500
querystring: 20 values Array of 20, 21 values Array of 21, 1000 values Array of 1000, 1001 values Array of 1000, 1500 values Array of 1000
fast-querystring: 20 values Array of 20, 21 values Array of 21, 1000 values Array of 1000, 1001 values Array of 1001, 1500 values Array of 1500
URLSearchParams: 20 values Array of 20, 21 values Array of 21, 1000 values Array of 1000, 1001 values Array of 1001, 1500 values Array of 1500
qs, 20 values of address[]: Array of 20
qs, 20 values with commas: Array of 20
qs, 21 values of address[]: Object of 21
qs, 21 values with commas: Object of 21
EXPECTED
