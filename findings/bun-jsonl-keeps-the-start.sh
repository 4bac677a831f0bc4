#!/usr/bin/env bash
# Bun.JSONL.parse of Bun 1.4.5 throws for an invalid line only if it is the first: otherwise it returns the records before it, as if they
# were all. So of a response that was cut within a line, or to which a server appended an error as text, the rest is missing without an
# error, and records after such a line are lost too. Its guide says that it throws a SyntaxError, its reference that it returns what it has.
# parseChunk reports both cases ("done" false, "error"). Guess: as with JSON.parse of each line, which throws.
# Needs the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund bun@1.4.5 >/dev/null

cat >program.mjs <<'PROGRAM'
import { once } from "node:events"
import { createServer } from "node:http"
const records = Array.from({ length: 5 }, (_, index) => `{"block":${index + 1},"value":"1000000000000000000"}\n`)
const texts = {
  whole: records.join(""),
  "cut within the third": records.join("").slice(0, 110),
  "an error as text after two": `${records.slice(0, 2).join("")}upstream timed out\n`,
  "one invalid line of six": `${records.slice(0, 2).join("")}{"block":}\n${records.slice(2).join("")}`,
  "invalid from the start": `upstream timed out\n${records.join("")}`
}
const server = createServer(({ url }, response) => response.end(texts[decodeURI(url.slice(1))])).listen(0, "127.0.0.1")
await once(server, "listening")
const attempt = (run) => {
  try {
    return run()
  } catch (error) {
    return error.name
  }
}
console.log("Bun", Bun.version)
for (const name of Object.keys(texts)) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/${name}`)
  const text = await response.text()
  const parsed = attempt(() => `${Bun.JSONL.parse(text).length} records`)
  const lines = attempt(() => `${text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).length} records`)
  const { done, error } = Bun.JSONL.parseChunk(text)
  console.log(`${name}: parse ${parsed}, JSON.parse by line ${lines}, parseChunk done ${done}, error ${error?.name}`)
}
process.exit()
PROGRAM

node_modules/.bin/bun program.mjs | tee output
diff output - <<'EXPECTED'
Bun 1.4.5
whole: parse 5 records, JSON.parse by line 5 records, parseChunk done true, error undefined
cut within the third: parse 2 records, JSON.parse by line SyntaxError, parseChunk done false, error undefined
an error as text after two: parse 2 records, JSON.parse by line SyntaxError, parseChunk done false, error SyntaxError
one invalid line of six: parse 2 records, JSON.parse by line SyntaxError, parseChunk done false, error SyntaxError
invalid from the start: parse SyntaxError, JSON.parse by line SyntaxError, parseChunk done false, error SyntaxError
EXPECTED
