#!/usr/bin/env bash
# Redis 7.0.15 counts exactly to 2^63, its clients for Node round the replies without an error: ioredis 6.0.0, redis 6.3.1 and
# @valkey/valkey-glide 2.5.2 (a client in Rust, with 64 bits) answer INCRBY and HINCRBY with a number. Two increments of one
# answer the same number, so "the first who reached N" is nobody or two. GET of the same key is text and exact. In a script the counter
# is a double too: near 2^63 the script returns a negative number (on x86-64). Guess: bigint or text where a number is not exact.
# Needs Node, the npm registry, and redis-server 5:7.0.15-1~deb12u10 or later of Debian 12.
set -euo pipefail

folder=$(mktemp -d)
cd "$folder"
redis-server --port 0 --unixsocket "$folder/redis.sock" --save "" --daemonize yes --pidfile "$folder/pid" >/dev/null
trap 'kill "$(cat "$folder/pid")"; rm -rf "$folder"' EXIT
npm install --loglevel=error --no-audit --no-fund ioredis@6.0.0 redis@6.3.1 @valkey/valkey-glide@2.5.2 >/dev/null

cat >program.mjs <<'PROGRAM'
import { GlideClient } from "@valkey/valkey-glide"
import Redis from "ioredis"
import { createServer, connect } from "node:net"
import { createClient } from "redis"
// Glide connects to ports only
const relay = createServer((socket) => socket.pipe(connect("redis.sock")).on("error", () => {}).pipe(socket).on("error", () => {}))
await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve))
const { port } = relay.address()
const ioredis = new Redis(port)
const redis = await createClient({ url: `redis://127.0.0.1:${port}` }).connect()
const glide = await GlideClient.createClient({ addresses: [{ host: "127.0.0.1", port }] })
console.log("redis-server", (await ioredis.info("server")).match(/redis_version:(\S+)/)[1])

const script = "return redis.call('incrby', KEYS[1], 0)"
const clients = {
  ioredis: { incrBy: (n) => ioredis.incrby("k", n), hash: (n) => ioredis.hincrby("h", "f", n), get: () => ioredis.get("k"), run: () => ioredis.eval(script, 1, "k") },
  redis: { incrBy: (n) => redis.incrBy("k", n), hash: (n) => redis.hIncrBy("h", "f", n), get: () => redis.get("k"), run: () => redis.eval(script, { keys: ["k"] }) },
  glide: { incrBy: (n) => glide.incrBy("k", n), hash: (n) => glide.hincrBy("h", "f", n), get: () => glide.get("k"), run: () => glide.customCommand(["EVAL", script, "1", "k"]) }
}
const show = (value) => `${typeof value} ${value}`
for (const [name, { incrBy, hash, get, run }] of Object.entries(clients)) {
  for (const start of ["9007199254740991", "9223372036854775300"]) {
    await ioredis.set("k", start)
    await ioredis.hset("h", "f", start)
    const replies = [await incrBy(1), await incrBy(1), await incrBy(1)]
    console.log(`${name}, from ${start}`)
    console.log(`  INCRBY 1 three times: ${replies.map(show).join(", ")}`)
    console.log(`  HINCRBY 3: ${show(await hash(3))}`)
    console.log(`  GET: ${show(await get())}`)
    console.log(`  the counter in a script: ${show(await run())}`)
  }
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
redis-server 7.0.15
ioredis, from 9007199254740991
  INCRBY 1 three times: number 9007199254740992, number 9007199254740992, number 9007199254740994
  HINCRBY 3: number 9007199254740994
  GET: string 9007199254740994
  the counter in a script: number 9007199254740994
ioredis, from 9223372036854775300
  INCRBY 1 three times: number 9223372036854776000, number 9223372036854776000, number 9223372036854776000
  HINCRBY 3: number 9223372036854776000
  GET: string 9223372036854775303
  the counter in a script: number -9223372036854776000
redis, from 9007199254740991
  INCRBY 1 three times: number 9007199254740992, number 9007199254740992, number 9007199254740994
  HINCRBY 3: number 9007199254740994
  GET: string 9007199254740994
  the counter in a script: number 9007199254740994
redis, from 9223372036854775300
  INCRBY 1 three times: number 9223372036854776000, number 9223372036854776000, number 9223372036854776000
  HINCRBY 3: number 9223372036854776000
  GET: string 9223372036854775303
  the counter in a script: number -9223372036854776000
glide, from 9007199254740991
  INCRBY 1 three times: number 9007199254740992, number 9007199254740992, number 9007199254740994
  HINCRBY 3: number 9007199254740994
  GET: string 9007199254740994
  the counter in a script: number 9007199254740994
glide, from 9223372036854775300
  INCRBY 1 three times: number 9223372036854776000, number 9223372036854776000, number 9223372036854776000
  HINCRBY 3: number 9223372036854776000
  GET: string 9223372036854775303
  the counter in a script: number -9223372036854776000
EXPECTED
