/**
 * Quotas as Lua scripts, so that each change is atomic. They compute the same as
 * `packages/http/src/internal/stores/QuotaWindow.ts`. A quota is a hash with the fields `window` and `consumed`; times
 * are in milliseconds.
 */
import * as Script from "./Script.ts"

/** How long a window is kept after its end, in case the server's clock is set back into it. */
const retentionMargin = 3600 * 1000

const header = (now: string) =>
  `${Script.limitPrologue(now)}
local limit, period = number(ARGV[1]), tonumber(ARGV[2])
local firstDay = tonumber(string.match(ARGV[2], '^month:(%d+)$'))

-- Months are counted from March of the year 0, so that a leap day is the last one of a year.
local function startOf(window)
  if period then return window * period end
  local year, month = math.floor(window / 12), window % 12
  local leapDays = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  -- Months from March have 31, 30, 31, 30, 31 days, again and again. 719469 days precede 1970-01-02.
  return (365 * year + leapDays + math.floor((153 * month + 2) / 5) + firstDay - 719469) * 86400000
end

local function windowAt(time)
  if period then return math.floor(time / period) end
  -- No month is longer than 31 days, and their mean length is 30.436875 days.
  local window = math.floor((time / 86400000 + 719468 - firstDay) / 30.436875) - 1
  while startOf(window + 1) <= time do window = window + 1 end
  return window
end

local window = windowAt(now)
local windowEnd = startOf(window + 1)
-- Rounding may put the end before now.
local millis = math.max(1, math.ceil(windowEnd - now))

local fields = limit < math.huge and readFields('window', 'consumed') or {}

local storedWindow, consumed = tonumber(fields[1]) or window, tonumber(fields[2]) or 0
-- The stored window is the next one: the clock went back into a window that is no longer known.
local ended = storedWindow == window + 1
-- The stored window is further ahead: count it as this window instead of blocking until the clock catches up.
local clockMovedBack = storedWindow > window + 1
if storedWindow < window then consumed = 0 end
local remaining = ended and 0 or math.max(0, limit - consumed)

local function write()
  writeFields('window', text(window), 'consumed', text(consumed))
  redis.call('PEXPIRE', key, string.format('%.0f', math.min(windowEnd - now + ${retentionMargin}, ${Script.maxTtlMillis})))
end
`

const consume = `
local cost = number(ARGV[3])

if cost > remaining then
  if clockMovedBack then write() end
  return reply('exceeded', remaining, millis)
end
if limit < math.huge and (cost > 0 or clockMovedBack) then
  consumed = consumed + cost
  write()
end
return reply('granted', remaining - cost)
`

const refund = `
local cost, age = number(ARGV[3]), number(ARGV[4])
if limit == math.huge or (consumed == 0 and cost > 0) or ended or windowAt(now - age) ~= window then
  return reply('granted', remaining)
end
consumed = math.max(0, consumed - cost)
write()
return reply('granted', math.max(0, limit - consumed))
`

const peek = "return reply('granted', remaining, millis)"

/** Creates the scripts. `now` is a Lua expression for the current time in milliseconds. */
export const make = (now: string) => ({
  consume: Script.make(header(now) + consume),
  refund: Script.make(header(now) + refund),
  peek: Script.make(header(now) + peek)
})
