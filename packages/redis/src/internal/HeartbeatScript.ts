/** Counts the running processes: a sorted set of process ids by the time of their last heartbeat, by the server's clock. */
import * as Script from "./Script.ts"

/** A process counts for this long after its last heartbeat. */
const heartbeatTtlMillis = 15_000

/** Records a heartbeat and returns the number of processes. `now` is a Lua expression for the current time. */
export const make = (now: string): Script.Script =>
  Script.make(`
local now = ${now}
-- A value of another type is replaced.
if type(redis.pcall('ZCARD', KEYS[1])) == 'table' then redis.call('DEL', KEYS[1]) end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${heartbeatTtlMillis}))
-- Heartbeats in the future were recorded before the clock was set back. Their processes send another one soon.
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
redis.call('PEXPIRE', KEYS[1], ${heartbeatTtlMillis})
return redis.call('ZCARD', KEYS[1])
`)
