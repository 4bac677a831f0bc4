#!/usr/bin/env bash
# A Link header of RFC 8288 says where the next page is. parse-link-header 2.0.0 gives null if the header is longer than 2,000 characters, as
# when there is no next page, so a loop over pages ends early and without an error when cursors are long; the limit is in an environment
# variable. It and li 1.3.0 do not find rel="Next" or REL="next" (names and relations are the same in any case). A relative address stays
# relative in all three. http-link-header 1.1.4 finds each next page. Guess: a long header is parsed, case does not matter. Needs Node 20 or
# later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund parse-link-header@2.0.0 li@1.3.0 http-link-header@1.1.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import HttpLinkHeader from "http-link-header"
import li from "li"
import parseLinkHeader from "parse-link-header"
const parsers = {
  "parse-link-header": (header) => parseLinkHeader(header)?.next?.url,
  li: (header) => li.parse(header).next,
  "http-link-header": (header) => HttpLinkHeader.parse(header).rel("next")[0]?.uri
}
const cursor = (length) => `<https://api.example/transfers?cursor=${"x".repeat(length)}>; rel="next"`
const headers = {
  "1,999 characters": cursor(1999 - cursor(0).length),
  "2,000 characters": cursor(2000 - cursor(0).length),
  "2,001 characters": cursor(2001 - cursor(0).length),
  "two links of 1,100 characters": `${cursor(1100 - cursor(0).length).replace("next", "prev")}, ${cursor(1100 - cursor(0).length)}`,
  'rel="next last"': '<https://api.example/2>; rel="next last"',
  "rel=next": "<https://api.example/2>; rel=next",
  'REL="next"': '<https://api.example/2>; REL="next"',
  'rel="Next"': '<https://api.example/2>; rel="Next"',
  relative: '</2>; rel="next"'
}
for (const [name, header] of Object.entries(headers)) {
  console.log(`${name}: ${Object.entries(parsers).map(([parser, next]) => `${parser} ${next(header)?.replace(/x{9,}/, "...") ?? "none"}`).join(", ")}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
1,999 characters: parse-link-header https://api.example/transfers?cursor=..., li https://api.example/transfers?cursor=..., http-link-header https://api.example/transfers?cursor=...
2,000 characters: parse-link-header https://api.example/transfers?cursor=..., li https://api.example/transfers?cursor=..., http-link-header https://api.example/transfers?cursor=...
2,001 characters: parse-link-header none, li https://api.example/transfers?cursor=..., http-link-header https://api.example/transfers?cursor=...
two links of 1,100 characters: parse-link-header none, li https://api.example/transfers?cursor=..., http-link-header https://api.example/transfers?cursor=...
rel="next last": parse-link-header https://api.example/2, li https://api.example/2, http-link-header https://api.example/2
rel=next: parse-link-header https://api.example/2, li https://api.example/2, http-link-header https://api.example/2
REL="next": parse-link-header none, li none, http-link-header https://api.example/2
rel="Next": parse-link-header none, li none, http-link-header https://api.example/2
relative: parse-link-header /2, li /2, http-link-header /2
EXPECTED
