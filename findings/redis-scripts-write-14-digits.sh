#!/usr/bin/env bash
# cjson in scripts of Redis 7.0.15 writes numbers with 14 significant digits: a script that changes one field of a stored record rounds the
# others, also integers far below 2^53: 123456789012345 becomes 1.2345678901234e+14, a time in microseconds is rounded, two ids become one,
# and no parser of JSON reports it. An empty array becomes an object. Joining with ".." rounds too; cmsgpack and an argument of redis.call do
# not. Guess: all digits up to 2^53, as with JSON.stringify. Numbers as text stay as they are.
# Needs redis-server 5:7.0.15-1~deb12u10 or later of Debian 12.
set -euo pipefail

folder=$(mktemp -d)
cd "$folder"
redis-server --port 0 --unixsocket "$folder/redis.sock" --save "" --daemonize yes --pidfile "$folder/pid" >/dev/null
trap 'kill "$(cat "$folder/pid")"; rm -rf "$folder"' EXIT
run() { redis-cli -s redis.sock "$@"; }

set_seen="local record = cjson.decode(redis.call('get', KEYS[1])) record.seen = true
  redis.call('set', KEYS[1], cjson.encode(record)) return 'OK'"
update() {
  run set k "$1" >/dev/null
  run eval "$set_seen" 1 k >/dev/null
  # Without the field that was added, since the order may change
  run get k | sed 's/,"seen":true//; s/"seen":true,//'
}
{
  run info server | tr -d '\r' | grep redis_version
  update '{"block":21000000}'
  update '{"time_ms":1714521600123}'
  update '{"time_us":1714521600123456}'
  update '{"id":123456789012345}'
  update '{"id":123456789012344}'
  update '{"value":"123456789012345"}'
  update '{"gas":100000000000000}'
  update '{"price":0.1234567890123456}'
  update '{"transfers":[]}'
  run incrby counter 123456789012345 >/dev/null
  echo "joined: $(run eval "return 'after:' .. redis.call('incrby', KEYS[1], 0)" 1 counter)"
  echo "as an argument: $(run eval "redis.call('set', 'copy', 123456789012345) return redis.call('get', 'copy')" 0)"
  echo "cmsgpack: $(run eval "return cmsgpack.unpack(cmsgpack.pack(123456789012345))" 0)"
} | tee output
diff output - <<'EXPECTED'
redis_version:7.0.15
{"block":21000000}
{"time_ms":1714521600123}
{"time_us":1.7145216001235e+15}
{"id":1.2345678901234e+14}
{"id":1.2345678901234e+14}
{"value":"123456789012345"}
{"gas":1e+14}
{"price":0.12345678901235}
{"transfers":{}}
joined: after:1.2345678901234e+14
as an argument: 123456789012345
cmsgpack: 123456789012345
EXPECTED
