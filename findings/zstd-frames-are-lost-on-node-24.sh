#!/usr/bin/env bash
# Zstandard data may have several frames (RFC 8878): pzstd writes them, "cat a.zst b.zst" makes them. Node 22.23.3 and 24.21.0 and Deno
# 2.9.6 stop after the first frame, without an error: of two joined files they read the first. A file of pzstd begins with a frame to skip,
# so it is read as empty. With a stream, and with fetch on Node 24, the place where the data are split decides: if a chunk ends with the
# frame, the next frame is read too. Node 26.10.0 and Bun 1.4.5 read all. Guess: as with gzip, whose members all of them read.
# Needs the npm registry and zstd 1.5.4 of Debian 12 (with pzstd).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund \
  node22@npm:node@22.23.3 node24@npm:node@24.21.0 node26@npm:node@26.10.0 bun@1.4.5 deno@2.9.6 >/dev/null

# 200,000 records in pzstd's frames; 2 records in a frame each
seq 200000 | sed 's/.*/{"id":&,"value":"115792089237316195423570985008687907853269984665640564039457584007913129639935"}/' >all.ndjson
pzstd -q -p 2 all.ndjson
head -n 2 all.ndjson >a
tail -n 2 all.ndjson >b
zstd -q a b
cat a.zst b.zst >joined.zst
gzip a b
cat a.gz b.gz >joined.gz

cat >program.mjs <<'PROGRAM'
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import process from "node:process"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { createZstdDecompress, gunzipSync, zstdDecompressSync } from "node:zlib"
const count = (value) => value.toString().split("\n").length - 1
const stream = async (...chunks) => count(await text(Readable.from(chunks).pipe(createZstdDecompress())))
const [a, b, joined] = ["a.zst", "b.zst", "joined.zst"].map((name) => readFileSync(name))
const fetched = async (...chunks) => {
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-encoding": "zstd" })
    for (const chunk of chunks) {
      response.write(chunk)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    response.end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return count(await (await fetch(`http://127.0.0.1:${server.address().port}`)).text())
}
const [, , name, fetchDecodes] = process.argv
console.log(`${name}, pzstd:`, count(zstdDecompressSync(readFileSync("all.ndjson.zst"))))
console.log(`${name}, joined:`, count(zstdDecompressSync(joined)))
console.log(`${name}, joined gzip:`, count(gunzipSync(readFileSync("joined.gz"))))
console.log(`${name}, stream of one chunk, two chunks:`, await stream(joined), await stream(a, b))
if (fetchDecodes) console.log(`${name}, fetch of one chunk, two chunks:`, await fetched(joined), await fetched(a, b))
process.exit()
PROGRAM

{
  echo "zstdcat, pzstd: $(zstdcat all.ndjson.zst | wc -l)"
  echo "zstdcat, joined: $(zstdcat joined.zst | wc -l)"
  node_modules/node22/bin/node program.mjs "Node 22.23.3"
  node_modules/node24/bin/node program.mjs "Node 24.21.0" fetch
  node_modules/node26/bin/node program.mjs "Node 26.10.0" fetch
  node_modules/.bin/bun program.mjs "Bun 1.4.5" fetch
  node_modules/.bin/deno run --allow-read --allow-net --allow-env program.mjs "Deno 2.9.6"
} 2>/dev/null | tee output
diff output - <<'EXPECTED'
zstdcat, pzstd: 200000
zstdcat, joined: 4
Node 22.23.3, pzstd: 0
Node 22.23.3, joined: 2
Node 22.23.3, joined gzip: 4
Node 22.23.3, stream of one chunk, two chunks: 2 4
Node 24.21.0, pzstd: 0
Node 24.21.0, joined: 2
Node 24.21.0, joined gzip: 4
Node 24.21.0, stream of one chunk, two chunks: 2 4
Node 24.21.0, fetch of one chunk, two chunks: 2 4
Node 26.10.0, pzstd: 200000
Node 26.10.0, joined: 4
Node 26.10.0, joined gzip: 4
Node 26.10.0, stream of one chunk, two chunks: 4 4
Node 26.10.0, fetch of one chunk, two chunks: 4 4
Bun 1.4.5, pzstd: 200000
Bun 1.4.5, joined: 4
Bun 1.4.5, joined gzip: 4
Bun 1.4.5, stream of one chunk, two chunks: 4 4
Bun 1.4.5, fetch of one chunk, two chunks: 4 4
Deno 2.9.6, pzstd: 0
Deno 2.9.6, joined: 2
Deno 2.9.6, joined gzip: 4
Deno 2.9.6, stream of one chunk, two chunks: 2 4
EXPECTED
