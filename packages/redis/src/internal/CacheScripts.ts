/** Lua scripts of the cache: entries that are not replaced by older ones, and their versions. */
import { versionLength } from "./CacheEntryCodec.ts"
import * as Script from "./Script.ts"

/** Sets a value with a TTL in milliseconds, unless the stored one has a higher version. */
export const set = Script.make(`
local stored = redis.pcall('GETRANGE', KEYS[1], 0, ${versionLength - 1})
-- A value of another type is replaced.
if type(stored) == 'string' and (tonumber(stored) or 0) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

/** How long the last version is kept. */
const versionTtlMillis = 24 * 3600 * 1000

/**
 * Issues a version that is higher than all before and than the argument. If the last version is lost, starts from the
 * server's clock in microseconds: that many versions are never issued, so it is higher than those of lost entries.
 */
export const nextVersion = Script.make(`
local last = redis.pcall('GET', KEYS[1])
if type(last) ~= 'string' then
  local time = redis.call('TIME')
  last = time[1] * 1000000 + time[2]
end
local version = string.format('%.0f', math.max(tonumber(last) or 0, tonumber(ARGV[1])) + 1)
redis.call('SET', KEYS[1], version, 'PX', ${versionTtlMillis})
return version
`)
