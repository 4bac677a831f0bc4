/** Lua scripts, identified by the SHA-1 of their text, and what they share. Times are in milliseconds. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

export interface Script {
  readonly lua: string
  readonly sha: string
}

export const make = (lua: string): Script => ({
  lua,
  sha: createHash("sha1").update(lua).digest("hex")
})

/** Decodes the reply of a script. */
export const decode = <A, I>(
  schema: Schema.Schema<A, I>,
  reply: Effect.Effect<unknown, StoreError>
): Effect.Effect<A, StoreError> =>
  Effect.flatMap(
    reply,
    (reply) =>
      Effect.mapError(
        Schema.decodeUnknown(schema)(reply),
        () => new StoreError({ reason: "unexpected reply" })
      )
  )

/** The scripts of the stores that a program imports. A check runs each with a key that does not exist, and 1 as arguments. */
export const checked: Array<Script> = []

/** Lua expression for the server's clock, the same for all processes, with a resolution of microseconds. */
export const serverTime = `(function()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end)()`

/** The longest TTL of a key: one year. Applies to rate limits that take longer to refill. */
export const maxTtlMillis: number = 365 * 24 * 3600 * 1000

/** Added to every TTL, because key expiry uses a coarser clock than scripts. */
export const expiryMargin = 1000

/** Defines the time, and conversions of numbers. `now` is a Lua expression for the current time. */
export const numbers = (now: string): string => `
local now = ${now}

-- 17 digits represent every number exactly.
local function text(number)
  if number == math.huge then return 'Infinity' end
  return string.format('%.17g', number)
end

local function number(text) return tonumber(text) or math.huge end
`
