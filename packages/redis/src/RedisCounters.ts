/** Counters in Redis, such as the usage of a day: sets of them, to which the processes of a fleet add in batches. */
import { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Script from "./internal/Script.ts"
import * as Redis from "./Redis.ts"

/** A batch of one writer. Its number is greater than those of the writer's batches before it. */
export interface Batch {
  readonly writer: string
  readonly number: number
}

export interface RedisCounters {
  /**
   * Adds integers to counters of a set, which expires after `ttlMillis` without a batch. A batch that was executed is not executed
   * again, so it may be sent again if its reply was lost.
   */
  readonly add: (
    set: string,
    batch: Batch,
    amounts: ReadonlyMap<string, number>,
    ttlMillis: number
  ) => Effect.Effect<void, StoreError>
  /** Returns the counters of a set; none if it does not exist. */
  readonly read: (set: string) => Effect.Effect<ReadonlyMap<string, number>, StoreError>
}

const writerPrefix = "writer:"

const counterPrefix = "counter:"

const add = Script.make(`
local key, writer, number = KEYS[1], '${writerPrefix}' .. ARGV[1], tonumber(ARGV[2])
local last = redis.pcall('HMGET', key, writer)
-- A value of another type is replaced.
if last.err then redis.call('DEL', key) end
if not last.err and tonumber(last[1] or '0') >= number then return 'OK' end
for index = 4, #ARGV, 2 do redis.call('HINCRBY', key, '${counterPrefix}' .. ARGV[index], ARGV[index + 1]) end
redis.call('HSET', key, writer, ARGV[2])
redis.call('PEXPIRE', key, ARGV[3])
return 'OK'
`)

const read = Script.make(`
local fields = redis.pcall('HGETALL', KEYS[1])
return fields.err and {} or fields
`)

const Fields = Schema.Array(Schema.String)

/** Creates the counters of a server. Its effects fail while it is unavailable. */
export const make: Effect.Effect<RedisCounters, never, Redis.Redis> = Effect.map(Redis.Redis, (redis) => {
  // The number is the version of the hash fields.
  const keyOf = (set: string) => `${redis.keyPrefix}counters:1:${set}`
  return {
    add: (set, { number, writer }, amounts, ttlMillis) => {
      const pairs = Array.from(amounts, ([name, amount]) => [name, String(amount)]).flat()
      return Effect.asVoid(
        redis.values.run(add, keyOf(set), [writer, String(number), String(ttlMillis), ...pairs])
      )
    },
    read: (set) =>
      Effect.flatMap(
        redis.values.run(read, keyOf(set), []),
        (reply) =>
          Effect.mapBoth(Schema.decodeUnknown(Fields)(reply), {
            onFailure: () => new StoreError({ reason: "unexpected reply" }),
            onSuccess: (fields) => {
              const counters = new Map<string, number>()
              for (let index = 0; index < fields.length; index += 2) {
                const name = fields[index] ?? ""
                if (name.startsWith(counterPrefix)) {
                  counters.set(name.slice(counterPrefix.length), Number(fields[index + 1]))
                }
              }
              return counters
            }
          })
      )
  }
})
