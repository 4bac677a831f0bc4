#!/usr/bin/env bash
# rate-limiter-flexible 11.4.0 takes the points of a request that it rejects: of 10 units, after a request of 6, one of 6 is rejected and one
# of 4, for which there are units, is too, as is everything until the window ends. So a client whose requests have different costs gets less
# than its limit. In memory, a cost with a fraction is cut, so requests of 0.9 units are free, and a cost of NaN (a missing header) turns the
# limit off until the window ends; RateLimiterRedis reports an error for both, so the insurance limiter that replaces it in an outage counts
# otherwise. Guess: what is rejected takes nothing, and memory counts as Redis does.
# Needs Node, the npm registry, and redis-server 5:7.0.15-1~deb12u10 or later of Debian 12.
set -euo pipefail

folder=$(mktemp -d)
cd "$folder"
redis-server --port 0 --unixsocket "$folder/redis.sock" --save "" --daemonize yes --pidfile "$folder/pid" >/dev/null
trap 'kill "$(cat "$folder/pid")"; rm -rf "$folder"' EXIT
npm install --loglevel=error --no-audit --no-fund rate-limiter-flexible@11.4.0 ioredis@6.0.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import Redis from "ioredis"
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible"
const storeClient = new Redis({ path: "redis.sock" })
const limiters = {
  memory: (options) => new RateLimiterMemory(options),
  Redis: (options) => new RateLimiterRedis({ storeClient, ...options })
}
let keys = 0
const costs = async (name, ...values) => {
  const limiter = limiters[name]({ points: 10, duration: 60 })
  const key = `client-${keys++}`
  const results = []
  for (const value of values) {
    results.push(await limiter.consume(key, value).then(
      ({ consumedPoints }) => `${value} accepted (${consumedPoints} used)`,
      (rejected) => rejected instanceof Error ? `${value} ${rejected.name}` : `${value} rejected (${rejected.consumedPoints} used)`
    ))
  }
  console.log(`${name}: ${results.join(", ")}`)
}
for (const name of Object.keys(limiters)) {
  await costs(name, 6, 6, 4, 1)
  await costs(name, 0.9, 0.9, 1.9)
  await costs(name, Number(undefined), 10, 10)
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
memory: 6 accepted (6 used), 6 rejected (12 used), 4 rejected (16 used), 1 rejected (17 used)
memory: 0.9 accepted (0 used), 0.9 accepted (0 used), 1.9 accepted (1 used)
memory: NaN accepted (NaN used), 10 accepted (NaN used), 10 accepted (NaN used)
Redis: 6 accepted (6 used), 6 rejected (12 used), 4 rejected (16 used), 1 rejected (17 used)
Redis: 0.9 Error, 0.9 Error, 1.9 Error
Redis: NaN Error, 10 accepted (10 used), 10 rejected (20 used)
EXPECTED
