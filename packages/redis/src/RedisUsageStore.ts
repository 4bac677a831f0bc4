/** Usage in Redis: one hash per day, to which the processes of a fleet add in batches. Unstable: for gateways. */
import { dayMillis } from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Script from "./internal/Script.ts"
import * as Redis from "./Redis.ts"
import * as UsageStore from "./UsageStore.ts"

export interface RedisUsageOptions {
  /** The number of days for which usage is kept. */
  readonly retention: number
}

const writerPrefix = "writer:"

const counterPrefix = "counter:"

/** Names have no spaces. */
const separator = " "

/** A batch that was executed is not executed again, so it may be sent again if its reply was lost. */
const add = Script.make(`
local key, writer, number = KEYS[1], '${writerPrefix}' .. ARGV[1], tonumber(ARGV[2])
local last = redis.call('HMGET', key, writer)[1]
if tonumber(last or '0') >= number then return 'OK' end
-- First, so that a batch that fails half-way is not counted again and again.
redis.call('HSET', key, writer, ARGV[2])
redis.call('PEXPIRE', key, ARGV[3])
for index = 4, #ARGV, 2 do redis.call('HINCRBY', key, '${counterPrefix}' .. ARGV[index], ARGV[index + 1]) end
return 'OK'
`)

const read = Script.make("return redis.call('HGETALL', KEYS[1])")
Script.checked.push(add, read)

const Fields = Schema.Array(Schema.String)

const daysOf = (from: string, to: string): ReadonlyArray<string> => {
  const first = Date.parse(from)
  const count = Math.floor((Date.parse(to) - first) / dayMillis) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => UsageStore.dayOf(first + index * dayMillis))
}

const isCounter = (name: string): name is typeof UsageStore.counters[number] =>
  UsageStore.counters.some((counter) => counter === name)

const rowsOf = (day: string, fields: ReadonlyArray<string>): Iterable<UsageStore.UsageRow> => {
  const rows = new Map<string, UsageStore.MutableRow>()
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? ""
    const end = name.lastIndexOf(separator)
    const counter = name.slice(end + 1)
    if (!name.startsWith(counterPrefix) || !isCounter(counter)) continue
    const id = name.slice(counterPrefix.length, end)
    let row = rows.get(id)
    if (row === undefined) {
      const [team = "", client = "", operation = "", key = ""] = id.split(separator)
      row = { ...UsageStore.emptyRow, day, team, client, operation, key }
      rows.set(id, row)
    }
    row[counter] = Number(fields[index + 1])
  }
  return rows.values()
}

/** Lets the process do something else: a day of a large fleet takes some milliseconds. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Creates a store in Redis. Its effects fail while Redis is unavailable. */
export const make = (
  { retention }: RedisUsageOptions
): Effect.Effect<UsageStore.UsageStoreService, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const writer = randomUUID()
    // The number is the version of the hash fields.
    const keyOf = (day: string) => `${redis.keyPrefix}usage:1:${day}`
    return {
      add: (rows, number) =>
        Effect.forEach(new Set(rows.map(({ day }) => day)), (day) => {
          const amounts = rows.filter((row) => row.day === day).flatMap((row) =>
            UsageStore.counters.flatMap((counter) =>
              row[counter] === 0 ? [] : [
                [row.team, row.client, row.operation, row.key, counter].join(separator),
                String(row[counter])
              ]
            )
          )
          return redis.values.run(add, keyOf(day), [
            writer,
            String(number),
            String(retention * dayMillis),
            ...amounts
          ])
        }, { discard: true }),
      read: (from, to, onRow) =>
        Effect.forEach(daysOf(from, to), (day) =>
          Script.decode(Fields, redis.values.run(read, keyOf(day), [])).pipe(
            Effect.map((fields) => {
              for (const row of rowsOf(day, fields)) {
                onRow(row)
              }
            }),
            Effect.zipRight(nextTurn)
          ), { concurrency: 2, discard: true })
    }
  })

/** Provides the store of usage. */
export const layer = (options: RedisUsageOptions): Layer.Layer<never, never, Redis.Redis> =>
  Layer.effect(UsageStore.UsageStore, make(options))
