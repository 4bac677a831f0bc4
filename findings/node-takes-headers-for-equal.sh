#!/usr/bin/env bash
# assert.deepStrictEqual and util.isDeepStrictEqual of Node 20.20.2, 24.21.0 and 26.10.0 compare the properties that can be listed, of which
# URLSearchParams, Headers, Blob and objects with private fields have none, and Request and Response none from Node 24 on: a test that a
# request has the right query, headers or address passes whatever they are. URL and Date differ. In Deno 2.9.6 queries, headers and requests
# differ, in Bun 1.4.5 queries and headers. Guess: strict means that two that differ fail. Compare [...value] or String(value). Needs the npm
# registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node20@npm:node@20.20.2 node24@npm:node@24.21.0 node26@npm:node@26.10.0 deno@2.9.6 bun@1.4.5 \
  >/dev/null

cat >program.mjs <<'PROGRAM'
import assert from "node:assert"
class Amount {
  #value
  constructor(value) {
    this.#value = value
  }
}
const pairs = {
  URLSearchParams: ["page=1", "page=2"].map((query) => new URLSearchParams(query)),
  Headers: ["1", "2"].map((etag) => new Headers({ etag })),
  Request: ["http://a/1", "http://a/2"].map((url) => new Request(url)),
  Response: ["1", "2"].map((text) => new Response(text)),
  Blob: ["1", "2"].map((text) => new Blob([text])),
  "private fields": [1n, 2n].map((value) => new Amount(value)),
  NumberFormat: ["en", "de"].map((locale) => new Intl.NumberFormat(locale)),
  URL: ["http://a/1", "http://a/2"].map((url) => new URL(url)),
  Date: [1, 2].map((time) => new Date(time))
}
const passes = ([first, second]) => {
  try {
    assert.deepStrictEqual(first, second)
    return true
  } catch {
    return false
  }
}
const names = Object.keys(pairs)
console.log(`equal ${names.filter((name) => passes(pairs[name])).join(", ")}; not ${names.filter((name) => !passes(pairs[name])).join(", ")}`)
PROGRAM

{
  for version in 20 24 26; do echo "Node $version: $(node_modules/node$version/bin/node program.mjs)"; done
  echo "Deno: $(node_modules/.bin/deno run --quiet --no-prompt program.mjs)"
  echo "Bun: $(node_modules/.bin/bun program.mjs)"
} | tee output
diff output - <<'EXPECTED'
Node 20: equal URLSearchParams, Headers, Blob, private fields, NumberFormat; not Request, Response, URL, Date
Node 24: equal URLSearchParams, Headers, Request, Response, Blob, private fields, NumberFormat; not URL, Date
Node 26: equal URLSearchParams, Headers, Request, Response, Blob, private fields, NumberFormat; not URL, Date
Deno: equal private fields, NumberFormat; not URLSearchParams, Headers, Request, Response, Blob, URL, Date
Bun: equal Request, Response, Blob, private fields, NumberFormat; not URLSearchParams, Headers, URL, Date
EXPECTED
