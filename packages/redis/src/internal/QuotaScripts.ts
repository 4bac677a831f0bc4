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
local limit, period = number(ARGV[1]), number(ARGV[2])
local window = math.floor(now / period)
local windowEnd = (window + 1) * period
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
if limit == math.huge or (consumed == 0 and cost > 0) or ended or math.floor((now - age) / period) ~= window then
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
