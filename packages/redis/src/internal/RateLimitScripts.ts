/**
 * Rate limits and cooldowns as Lua scripts, so that each change is atomic. They compute the same as
 * `packages/http/src/internal/stores/Gcra.ts`, and allow for a server whose clock is set back. A rate limit is a hash with the
 * fields `level`, `updatedAt`, `cooldowns`, `cooldownUntil`, `trialUntil` and `levelSince`; times are in milliseconds.
 */
import * as Script from "./Script.ts"

/** How long the number of cooldowns is kept after a cooldown or trial, if no further request is sent. */
const cooldownRetention = 3600 * 1000

const header = (now: string) =>
  `${Script.numbers(now)}
local key = KEYS[1]

-- See \`SharedRateLimits\`.
local function reply(outcome, remaining, millis) return { outcome, text(remaining), text(millis or 0) } end

-- Whether the clock was set back since the last write.
local clockMovedBack = false

local function read()
  local fields = redis.call('HMGET', key,
    'level', 'updatedAt', 'cooldowns', 'cooldownUntil', 'trialUntil', 'levelSince')
  clockMovedBack = (tonumber(fields[2]) or now) > now or (tonumber(fields[4]) or 0) > now + 60000
    or (tonumber(fields[5]) or 0) > now + 61000
  return {
    level = tonumber(fields[1]) or 0,
    -- Clamped, because times may come from a clock that was ahead.
    updatedAt = math.min(tonumber(fields[2]) or now, now),
    cooldowns = tonumber(fields[3]) or 0,
    cooldownUntil = math.min(tonumber(fields[4]) or 0, now + 60000),
    trialUntil = math.min(tonumber(fields[5]) or 0, now + 61000),
    levelSince = math.min(tonumber(fields[6]) or now, now)
  }
end

-- Sets a TTL of at least \`millis\` and never shortens it: not every caller knows how long the level matters.
local function write(state, millis)
  redis.call('HSET', key, 'level', text(state.level), 'updatedAt', text(state.updatedAt),
    'cooldowns', text(state.cooldowns), 'cooldownUntil', text(state.cooldownUntil),
    'trialUntil', text(state.trialUntil), 'levelSince', text(state.levelSince))
  if state.cooldowns > 0 then
    millis = math.max(millis, state.cooldownUntil - now + ${cooldownRetention}, state.trialUntil - now + ${cooldownRetention})
  end
  millis = math.min(math.ceil(millis) + ${Script.expiryMargin}, ${Script.maxTtlMillis})
  redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), millis)))
end
`

/** The state of a rate limit that the arguments describe: acquiring and releasing. */
const leveled = `
local limit, window, burst = number(ARGV[1]), number(ARGV[2]), number(ARGV[3])
local cost = number(ARGV[4])
local state = read()
local unlimited = limit == math.huge
local rate = limit / window
local level = unlimited and 0 or math.max(0, state.level - (now - state.updatedAt) * rate)

-- Units that could be acquired immediately at a level.
local function remaining(level) return unlimited and math.huge or math.max(0, burst - level) end
`

const acquire = `${leveled}
local lease = number(ARGV[5])
-- Processes share no queue, so each request waits until there is room for the most expensive one.
local needed = math.max(cost, tonumber(ARGV[6]) or 0)

local function delayed(millis, reason)
  -- A delay changes the state only if the clock was set back.
  if clockMovedBack then write(state, state.level / rate) end
  return reply(reason, remaining(level), math.ceil(millis))
end

local trial = state.cooldowns > 0
if trial and now < state.cooldownUntil then return delayed(state.cooldownUntil - now, 'cooldown') end
if trial and now < state.trialUntil then return delayed(math.min(50, state.trialUntil - now), 'cooldown') end
state.trialUntil = trial and now + math.min(lease, 61000) or 0
local function granted() return reply(trial and 'trial' or 'granted', remaining(state.level)) end
if unlimited then
  if trial then write(state, 0) end
  return granted()
end
local room = math.max(burst, needed) - level
if needed > room + 1e-9 then return delayed((needed - room) / rate, 'rate_limit') end
if level == 0 then state.levelSince = now end
state.level = level + cost
state.updatedAt = now
write(state, state.level / rate)
return granted()
`

const release = `${leveled}
local age = number(ARGV[5])
-- If the level was 0 in between, the units have leaked.
if level > 0 and now - age >= state.levelSince then
  level = math.max(0, level - cost)
  state.level = level
  state.updatedAt = now
  write(state, level / rate)
end
return reply('granted', remaining(level))
`

const startCooldown = `
local state = read()
local inCooldown = now < state.cooldownUntil
if not inCooldown then state.cooldowns = state.cooldowns + 1 end
local millis = tonumber(ARGV[1]) or 1000 * 2 ^ math.min(state.cooldowns - 1, 10)
state.cooldownUntil = math.max(state.cooldownUntil, now + math.min(millis, 60000))
state.trialUntil = 0
write(state, 0)
return 'OK'
`

const settleTrial = `
local state = read()
if state.cooldowns == 0 then return 'OK' end
if ARGV[1] == 'succeeded' and now >= state.cooldownUntil then
  state.cooldowns = 0
  state.cooldownUntil = 0
end
state.trialUntil = 0
write(state, 0)
return 'OK'
`

/** Creates the scripts. `now` is a Lua expression for the current time in milliseconds. */
export const make = (now: string) => ({
  acquire: Script.make(header(now) + acquire),
  release: Script.make(header(now) + release),
  startCooldown: Script.make(header(now) + startCooldown),
  settleTrial: Script.make(header(now) + settleTrial)
})
