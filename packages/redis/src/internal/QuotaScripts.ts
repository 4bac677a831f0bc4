/**
 * Quotas as Lua scripts, so that each change of several quotas is atomic. They compute the same as
 * `packages/http/src/internal/stores/QuotaWindow.ts`. A quota is a hash with the fields `window` and `consumed`; times
 * are in milliseconds. The arguments are the units and their age, then the limit, the period and `soft` of each key.
 */
import { dayMillis } from "@blockquarry/http/RateLimitStore"
import * as Script from "./Script.ts"

/** How long a window is kept after its end, in case the server's clock is set back into it. */
const retentionMargin = 3600 * 1000

const header = (now: string) =>
  `${Script.numbers(now)}
local cost, age = number(ARGV[1]), number(ARGV[2])

-- Months are counted from March of the year 0, so that a leap day is the last one of a year.
local function startOf(quota, window)
  if quota.period then return window * quota.period end
  local year, month = math.floor(window / 12), window % 12
  local leapDays = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  -- Months from March have 31, 30, 31, 30, 31 days, again and again. 719469 days precede 1970-01-02.
  return (365 * year + leapDays + math.floor((153 * month + 2) / 5) + quota.firstDay - 719469) * 86400000
end

local function windowAt(quota, time)
  if quota.period then return math.floor(time / quota.period) end
  -- No month is longer than 31 days, and their mean length is 30.436875 days.
  local window = math.floor((time / 86400000 + 719468 - quota.firstDay) / 30.436875) - 1
  while startOf(quota, window + 1) <= time do window = window + 1 end
  return window
end

local function read(index)
  local quota = {
    key = KEYS[index],
    limit = number(ARGV[3 * index]),
    period = tonumber(ARGV[3 * index + 1]),
    firstDay = tonumber(string.match(ARGV[3 * index + 1], '^month:(%d+)$')),
    soft = ARGV[3 * index + 2] == 'soft'
  }
  quota.window = windowAt(quota, now)
  quota.windowEnd = startOf(quota, quota.window + 1)
  -- Rounding may put the end before now.
  quota.millis = math.max(1, math.ceil(quota.windowEnd - now))
  local fields = quota.limit < math.huge and redis.call('HMGET', quota.key, 'window', 'consumed') or {}
  local storedWindow, consumed = tonumber(fields[1]) or quota.window, tonumber(fields[2]) or 0
  quota.consumed = storedWindow < quota.window and 0 or consumed
  -- The clock went back into the last day of the previous window, which is no longer known.
  quota.ended = storedWindow == quota.window + 1 and quota.millis <= ${dayMillis}
  -- The stored window is further ahead: count it as this window instead of blocking until the clock catches up.
  quota.clockMovedBack = storedWindow > quota.window and not quota.ended
  return quota
end

local function remainingOf(quota)
  return quota.ended and 0 or math.max(0, quota.limit - quota.consumed)
end

local function write(quota)
  redis.call('HSET', quota.key, 'window', text(quota.window), 'consumed', text(quota.consumed))
  local ttl = math.min(quota.windowEnd - now + ${retentionMargin}, ${Script.maxTtlMillis})
  redis.call('PEXPIRE', quota.key, string.format('%.0f', ttl))
end

local quotas = {}
for index = 1, #KEYS do quotas[index] = read(index) end

-- The number of the exceeded quota, or 0, then the remaining units of each quota and the time until its window ends.
local function reply(exceeded)
  local values = { text(exceeded) }
  for _, quota in ipairs(quotas) do
    table.insert(values, text(remainingOf(quota)))
    table.insert(values, text(quota.millis))
  end
  return values
end
`

const consume = `
local exceeded = 0
for index = #quotas, 1, -1 do
  if cost > remainingOf(quotas[index]) and not quotas[index].soft then exceeded = index end
end
for _, quota in ipairs(quotas) do
  local counts = exceeded == 0 and cost > 0 and quota.limit < math.huge and not quota.ended
  if counts then quota.consumed = quota.consumed + cost end
  if counts or quota.clockMovedBack then write(quota) end
end
return reply(exceeded)
`

const refund = `
for _, quota in ipairs(quotas) do
  local unknown = quota.limit == math.huge or (quota.consumed == 0 and cost > 0) or quota.ended
  if not unknown and windowAt(quota, now - age) == quota.window then
    quota.consumed = math.max(0, quota.consumed - cost)
    write(quota)
  end
end
return reply(0)
`

const peek = "return reply(0)"

/** Creates the scripts. `now` is a Lua expression for the current time in milliseconds. */
export const make = (now: string) => ({
  consume: Script.make(header(now) + consume),
  refund: Script.make(header(now) + refund),
  peek: Script.make(header(now) + peek)
})
