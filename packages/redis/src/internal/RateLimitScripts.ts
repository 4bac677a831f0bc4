/**
 * The arithmetic of budgets in Lua, so that a whole turn is one step on the server: what
 * `packages/http/src/internal/budget.ts` does, number for number. A budget is a hash; times are milliseconds.
 */
import * as Script from "./Script.ts"

/** How long after a pause it is still remembered that nobody has tried whether it is over. */
const cooldownRetention = 3600 * 1000

const header = (now: string) =>
  `${Script.scriptPrologue(now)}
-- Whether the clock was set back since the budget was written.
local moved = false

local function read()
  local found = redis.pcall('HMGET', key, 'level', 'at', 'pauses', 'pausedUntil', 'probeUntil')
  -- Something else has this name: nobody's budget.
  if found.err then
    redis.call('DEL', key)
    found = {}
  end
  moved = (tonumber(found[2]) or now) > now or (tonumber(found[4]) or 0) > now + 60000
  return {
    level = tonumber(found[1]) or 0,
    -- Of a server whose clock was ahead: nothing lies further ahead than it can.
    at = math.min(tonumber(found[2]) or now, now),
    pauses = tonumber(found[3]) or 0,
    pausedUntil = math.min(tonumber(found[4]) or 0, now + 60000),
    probeUntil = tonumber(found[5]) or 0
  }
end

-- Kept for \`life\` at least, which is never shortened: not every caller knows for how long a level matters.
local function write(budget, life)
  redis.call('HSET', key, 'level', text(budget.level), 'at', text(budget.at), 'pauses', text(budget.pauses),
    'pausedUntil', text(budget.pausedUntil), 'probeUntil', text(budget.probeUntil))
  if budget.pauses > 0 then
    life = math.max(life, budget.pausedUntil - now + ${cooldownRetention}, budget.probeUntil - now + ${cooldownRetention})
  end
  life = math.min(math.ceil(life) + ${Script.expiryMargin}, ${Script.maxTtlMillis})
  redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), life)))
end
`

const acquire = `
local limit, window, burst = number(ARGV[1]), number(ARGV[2]), number(ARGV[3])
local cost, lease = number(ARGV[4]), number(ARGV[5])
-- There is no line before this budget: all wait until there is room for the dearest.
local needed = math.max(cost, tonumber(ARGV[6]) or 0)
local budget = read()

local unlimited = limit == math.huge
local rate = limit / window
local level = unlimited and 0 or math.max(0, budget.level - (now - budget.at) * rate)

-- What could be taken at once over a level.
local function left(level)
  return text(unlimited and math.huge or math.max(0, burst - level))
end

local function wait(millis, reason)
  -- Kept only where the clock went back: every other wait leaves the budget as it was.
  if moved then write(budget, budget.level / rate) end
  return { 'Delayed', text(math.ceil(millis)), reason, left(level) }
end

local probe = budget.pauses > 0
if probe and now < budget.pausedUntil then return wait(budget.pausedUntil - now, 'cooldown') end
if probe and now < budget.probeUntil then return wait(math.min(50, budget.probeUntil - now), 'cooldown') end
budget.probeUntil = probe and now + lease or 0
local function go() return { 'Granted', probe and 'probe' or '', left(budget.level) } end
if unlimited then
  if probe then write(budget, 0) end
  return go()
end
local room = math.max(burst, needed) - level
if needed > room + 1e-9 then return wait((needed - room) / rate, 'rate_limit') end
budget.level = level + cost
budget.at = now
write(budget, budget.level / rate)
return go()
`

const startCooldown = `
local budget = read()
local paused = now < budget.pausedUntil
if not paused then budget.pauses = budget.pauses + 1 end
local length = tonumber(ARGV[1]) or 1000 * 2 ^ math.min(budget.pauses - 1, 10)
budget.pausedUntil = math.max(budget.pausedUntil, now + math.min(length, 60000))
budget.probeUntil = 0
write(budget, 0)
return 'OK'
`

const settleProbe = `
local budget = read()
if budget.pauses == 0 then return 'OK' end
if ARGV[1] == 'passed' and now >= budget.pausedUntil then
  budget.pauses = 0
  budget.pausedUntil = 0
end
budget.probeUntil = 0
write(budget, 0)
return 'OK'
`

export interface RateLimitScripts {
  readonly acquire: Script.Script
  readonly startCooldown: Script.Script
  readonly settleProbe: Script.Script
}

/** The scripts over a clock, which is an expression of Lua. */
export const make = (now: string): RateLimitScripts => ({
  acquire: Script.make(header(now) + acquire),
  startCooldown: Script.make(header(now) + startCooldown),
  settleProbe: Script.make(header(now) + settleProbe)
})
