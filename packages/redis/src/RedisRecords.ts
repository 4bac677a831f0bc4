/** Records in Redis that the processes of a fleet share: collections of texts by name. Unstable: for gateways. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Script from "./internal/Script.ts"
import * as Redis from "./Redis.ts"

/** `at`: when it was set, in milliseconds since 1970 by the clock of Redis. */
const Record = Schema.Struct({ at: Schema.Number, text: Schema.String })

export type RedisRecord = typeof Record.Type

const Reply = Schema.parseJson(Schema.Struct({
  now: Schema.Number,
  records: Schema.Record({ key: Schema.String, value: Record })
}))

/** Returns a collection. Its records expire `ttlMillis` after they were set, or never if it is null. */
export type RedisRecords = (collection: string, ttlMillis: number | null) => {
  /**
   * Sets a record and returns its time: now, but later than that of the record that it replaces, and than `at`. `restore` sets
   * a record that Redis may have lost, with its own time, unless the stored one is as new or newer.
   */
  readonly set: (name: string, record: RedisRecord, mode?: "restore") => Effect.Effect<number, StoreError>
  readonly remove: (name: string) => Effect.Effect<void, StoreError>
  /** Returns the records by name, and the time of Redis. */
  readonly read: Effect.Effect<typeof Reply.Type, StoreError>
}

/**
 * A value is its time, its TTL if it has one, and its text, as in `1764000000000:10000:text`. Those with a TTL that come from
 * the future were set before the clock was set back: they do not count, and their processes set them again soon.
 */
const parse = `
local now = ${Script.serverTime}
local function parse(value)
  local at, ttl, text = string.match(value or '', '^(%d+):(%d*):(.*)$')
  if at and (ttl == '' or tonumber(at) <= now + 1 and now < at + ttl) then return tonumber(at), text end
end
`

const set = Script.make(`${parse}
local key, name, text, ttl, at, restore = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == 'restore'
local last = parse(redis.call('HMGET', key, name)[1]) or 0
if restore and at <= last then return last end
at = string.format('%.0f', restore and at or math.max(math.floor(now), last + 1, at + 1))
redis.call('HSET', key, name, at .. ':' .. ttl .. ':' .. text)
if ttl ~= '' then redis.call('PEXPIRE', key, ttl) end
return at
`)

const read = Script.make(`${parse}
local fields = redis.call('HGETALL', KEYS[1])
local records = {}
for index = 1, #fields, 2 do
  local name, at, text = fields[index], parse(fields[index + 1])
  if at then records[name] = { at = at, text = text } else redis.call('HDEL', KEYS[1], name) end
end
return cjson.encode({ now = math.floor(now), records = records })
`)

const remove = Script.make("return redis.call('HDEL', KEYS[1], ARGV[1])")
Script.checked.push(set, read, remove)

/** Creates the records of a server. Their effects fail while it is unavailable. */
export const make: Effect.Effect<RedisRecords, never, Redis.Redis> = Effect.map(Redis.Redis, (redis) => {
  return (collection, ttlMillis) => {
    // The number is the version of the hash fields.
    const key = `${redis.keyPrefix}records:1:${collection}`
    const ttl = String(ttlMillis ?? "")
    return {
      set: (name, { at, text }, mode) =>
        Effect.map(redis.values.run(set, key, [name, text, ttl, String(at), mode ?? ""]), Number),
      remove: (name) => Effect.asVoid(redis.values.run(remove, key, [name])),
      read: Script.decode(Reply, redis.values.run(read, key, []))
    }
  }
})
