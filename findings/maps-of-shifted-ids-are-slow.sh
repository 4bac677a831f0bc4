#!/usr/bin/env bash
# V8 (Node 20.20.2, 24.21.0, 26.10.0, Deno 2.9.6) hashes a bigint by its lowest 64 bits, so bigints that differ above them only are all in
# one chain of a Map or Set: 10,000 token IDs of the form type * 2^128, as ERC-1155 proposes for IDs with a type and an index, take more than
# 20 times as long as 10,000 with different low bits, and twice as many take four times as long. The same IDs as text are fast, and bigints
# are so in Bun 1.4.5. Guess: a Map takes as long whatever the bits. Needs the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund node20@npm:node@20.20.2 node24@npm:node@24.21.0 node26@npm:node@26.10.0 deno@2.9.6 bun@1.4.5 >/dev/null

cat >program.mjs <<'PROGRAM'
const count = 10000
const ids = (make) => Array.from({ length: count }, (_, index) => make(BigInt(index + 1)))
const time = (keys) => {
  let best = Infinity
  for (let run = 0; run < 3; run++) {
    const start = performance.now()
    const map = new Map()
    for (const key of keys) map.set(key, 1)
    if (map.size !== count) throw new Error("lost keys")
    best = Math.min(best, performance.now() - start)
  }
  return best
}
const usual = Math.max(time(ids((index) => 2n ** 200n + index)), 0.2)
const compare = (keys) => (time(keys) > 20 * usual ? "slow" : "fast")
const shifted = ids((index) => index << 128n)
console.log(`IDs in the low bits fast, in the high bits ${compare(shifted)}, these as text ${compare(shifted.map(String))}`)
PROGRAM

for name in "node 20.20.2" "node 24.21.0" "node 26.10.0" "deno 2.9.6" "bun 1.4.5"; do
  case $name in
    node*) command=(node_modules/node"${name:5:2}"/bin/node) ;;
    deno*) command=(node_modules/.bin/deno run) ;;
    bun*) command=(node_modules/.bin/bun) ;;
  esac
  echo "$name: $("${command[@]}" program.mjs)"
done | tee output
diff output - <<'EXPECTED'
node 20.20.2: IDs in the low bits fast, in the high bits slow, these as text fast
node 24.21.0: IDs in the low bits fast, in the high bits slow, these as text fast
node 26.10.0: IDs in the low bits fast, in the high bits slow, these as text fast
deno 2.9.6: IDs in the low bits fast, in the high bits slow, these as text fast
bun 1.4.5: IDs in the low bits fast, in the high bits fast, these as text fast
EXPECTED
