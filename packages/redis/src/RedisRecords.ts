/** Records in Redis that the processes of a fleet share: collections of texts by name. */
import { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Script from "./internal/Script.ts"
import * as Redis from "./Redis.ts"

export interface RedisRecords {
  /** Sets a record, which expires after `ttlMillis`, or never if it is null. A collection has records of one kind. */
  readonly set: (
    collection: string,
    name: string,
    text: string,
    ttlMillis: number | null
  ) => Effect.Effect<void, StoreError>
  readonly remove: (collection: string, name: string) => Effect.Effect<void, StoreError>
  /** Returns the records of a collection, by name; none if it does not exist. */
  readonly read: (collection: string) => Effect.Effect<ReadonlyMap<string, string>, StoreError>
}

/** A value is its time, its TTL if it has one, and its text, as in `1764000000000:10000:text`. */
const set = Script.make(`
local key, name, text, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
-- A value of another type is replaced.
if redis.pcall('HMGET', key, name).err then redis.call('DEL', key) end
redis.call('HSET', key, name, string.format('%.0f', ${Script.serverTime}) .. ':' .. ttl .. ':' .. text)
if ttl ~= '' then redis.call('PEXPIRE', key, ttl) end
return 'OK'
`)

/** Records in the future were set before the clock was set back. Their processes set them again soon. */
const read = Script.make(`
local now = ${Script.serverTime}
local fields = redis.pcall('HGETALL', KEYS[1])
local records = {}
if fields.err then return records end
for index = 1, #fields, 2 do
  local at, ttl, text = string.match(fields[index + 1], '^(%d+):(%d*):(.*)$')
  if at and (ttl == '' or tonumber(at) <= now + 1 and now < at + ttl) then
    table.insert(records, fields[index])
    table.insert(records, text)
  else
    redis.call('HDEL', KEYS[1], fields[index])
  end
end
return records
`)

const remove = Script.make(`
if type(redis.pcall('HDEL', KEYS[1], ARGV[1])) == 'table' then redis.call('DEL', KEYS[1]) end
return 'OK'
`)

const Pairs = Schema.Array(Schema.String)

/** Creates the records of a server. Their effects fail while it is unavailable. */
export const make: Effect.Effect<RedisRecords, never, Redis.Redis> = Effect.map(Redis.Redis, (redis) => {
  // The number is the version of the hash fields.
  const keyOf = (collection: string) => `${redis.keyPrefix}records:1:${collection}`
  return {
    set: (collection, name, text, ttlMillis) =>
      Effect.asVoid(
        redis.values.run(set, keyOf(collection), [name, text, ttlMillis === null ? "" : String(ttlMillis)])
      ),
    remove: (collection, name) => Effect.asVoid(redis.values.run(remove, keyOf(collection), [name])),
    read: (collection) =>
      Effect.flatMap(
        redis.values.run(read, keyOf(collection), []),
        (reply) =>
          Effect.mapBoth(Schema.decodeUnknown(Pairs)(reply), {
            onFailure: () => new StoreError({ reason: "unexpected reply" }),
            onSuccess: (pairs) => {
              const records = new Map<string, string>()
              for (let index = 0; index < pairs.length; index += 2) {
                records.set(pairs[index] ?? "", pairs[index + 1] ?? "")
              }
              return records
            }
          })
      )
  }
})
