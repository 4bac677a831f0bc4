/** Scripts that Redis knows by the SHA-1 of their text, and what all of them begin with. Times are milliseconds. */
import { createHash } from "node:crypto"

export interface Script {
  readonly lua: string
  readonly sha: string
}

export const make = (lua: string): Script => ({
  lua,
  sha: createHash("sha1").update(lua).digest("hex")
})

/** The server's own clock, which everybody shares; to the microsecond. */
export const serverTime = `(function()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end)()`

/** Every key is forgotten at some time: after a year where a limit of nearly nothing would keep it longer. */
export const maxTtlMillis: number = 365 * 24 * 3600 * 1000

/** Keys expire by a coarser clock than the one that scripts read. */
export const expiryMargin = 1000

/** Numbers and the time, by a clock that is an expression of Lua. */
export const scriptPrologue = (now: string): string => `
local key = KEYS[1]
local now = ${now}

-- 17 digits tell any two numbers apart.
local function text(number)
  if number == math.huge then return 'Infinity' end
  return string.format('%.17g', number)
end

local function number(text) return tonumber(text) or math.huge end
`
