/**
 * The arithmetic of accounts in Lua, so that spending is one step on the server: what
 * `packages/http/src/internal/account.ts` does, number for number. An account is a hash; times are milliseconds.
 */
import * as Script from "./Script.ts"

/** For so long an account is kept after its window, should the clock be set back into that. */
const retentionMargin = 3600 * 1000

const header = (now: string) =>
  `${Script.scriptPrologue(now)}
local limit, period = number(ARGV[1]), number(ARGV[2])
local window = math.floor(now / period)
local last = (window + 1) * period
-- Rounding may put the end before now.
local millis = math.max(1, math.ceil(last - now))

local found = {}
if limit < math.huge then found = redis.pcall('HMGET', key, 'window', 'spent') end
-- Something else has this name: nobody's account.
local foreign = found.err
if foreign then found = {} end

local known, spent = tonumber(found[1]) or window, tonumber(found[2]) or 0
-- A window that has begun ends the one before it for good: that one's account is not known any more.
local over = known == window + 1
-- What a clock that was further ahead has counted is counted here, so that nobody waits for it to be right.
local moved = known > window + 1
if known < window then spent = 0 end
local left = over and 0 or math.max(0, limit - spent)
`

const consume = `
local cost = number(ARGV[3])

local function write()
  if foreign then redis.call('DEL', key) end
  redis.call('HSET', key, 'window', text(window), 'spent', text(spent))
  redis.call('PEXPIRE', key, string.format('%.0f', math.min(last - now + ${retentionMargin}, ${Script.maxTtlMillis})))
end

if cost > left then
  if moved then write() end
  return { 'QuotaExceeded', text(left), text(millis) }
end
if limit < math.huge and (cost > 0 or moved) then
  spent = spent + cost
  write()
end
return { 'Consumed', text(left - cost), text(millis) }
`

const peek = `
return { text(left), text(millis) }
`

export interface QuotaScripts {
  readonly consume: Script.Script
  readonly peek: Script.Script
}

/** The scripts over a clock, which is an expression of Lua. */
export const make = (now: string): QuotaScripts => ({
  consume: Script.make(header(now) + consume),
  peek: Script.make(header(now) + peek)
})
