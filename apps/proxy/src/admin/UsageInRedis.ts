/** Usage in Redis: one set of counters for each day, for all proxies of a fleet. */
import * as RedisCounters from "@blockquarry/redis/RedisCounters"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as SavedUsage from "./SavedUsage.ts"
import type { UsageStoreService } from "./UsageStore.ts"

/** Names have no spaces. */
const separator = " "

export const make = (retentionDays: number) =>
  Effect.map(RedisCounters.make, (redis): UsageStoreService => {
    const writer = randomUUID()
    const setOf = (day: string) => `usage:${day}`
    return {
      add: (rows, number) =>
        Effect.forEach(new Set(rows.map(({ day }) => day)), (day) => {
          const amounts = new Map<string, number>()
          for (const row of rows) {
            if (row.day !== day) continue
            for (const counter of SavedUsage.counters) {
              const name = [row.team, row.client, row.operation, row.key, counter].join(separator)
              if (row[counter] !== 0) amounts.set(name, row[counter])
            }
          }
          return redis.add(setOf(day), { writer, number }, amounts, retentionDays * SavedUsage.dayMillis)
        }, { discard: true }),
      read: (from, to, onRow) => {
        const days: Array<string> = []
        for (let day = from; day <= to; day = SavedUsage.dayOf(Date.parse(day) + SavedUsage.dayMillis)) {
          days.push(day)
        }
        return Effect.forEach(days, (day) =>
          Effect.map(redis.read(setOf(day)), (amounts) => {
            const sums = SavedUsage.makeSums(SavedUsage.dimensions)
            for (const [name, amount] of amounts) {
              const [team = "", client = "", operation = "", key = "", counter = ""] = name.split(separator)
              sums.add({ day, team, client, operation, key, [counter]: amount })
            }
            for (const row of sums.rows()) onRow(row)
          }), { concurrency: 8, discard: true })
      }
    }
  })
