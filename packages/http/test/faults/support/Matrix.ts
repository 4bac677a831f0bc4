/** The matrix: every fault, every operation, with the cache and without, over real sockets. */
import type * as HttpClient from "@effect/platform/HttpClient"
import { expect, layer as withLayer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Example, examples as all } from "../../support/Examples.ts"
import { bodies } from "./bodies.ts"
import * as Cell from "./Cell.ts"
import { connections } from "./connections.ts"
import * as FaultServer from "./FaultServer.ts"
import { type Outcome, type Row, timeouts } from "./Row.ts"
import { statuses } from "./statuses.ts"
import { until } from "./Wait.ts"

export const rows: ReadonlyArray<Row> = [...connections, ...statuses, ...bodies]

const inside = { a: { b: [{ c: 1 }] } }

/** Documents that are kept, with members that hold any JSON. */
const documents: Readonly<Record<string, object>> = {
  ledgerTransaction: { type: "user_transaction", success: true, payload: { arguments: [inside] } },
  nftMetadata: { media: inside, normalized_metadata: inside }
}

const examples: ReadonlyArray<Example> = all.map((example) => ({
  ...example,
  document: { ...Object(example.document), ...documents[example.id] }
}))

interface Played extends Cell.Cell {
  readonly row: Row
  readonly example: Example
  readonly cached: boolean
}

/** What keeps this process awake, by kind. */
const census = () => {
  const awake = process.getActiveResourcesInfo()
  return {
    sockets: awake.filter((kind) => kind === "TCPSocketWrap").length,
    timers: awake.filter((kind) => kind === "Timeout").length
  }
}

/** What is left once all cells were played and idle connections were closed. */
interface Left {
  readonly elsewhere: number
  readonly connections: number
  readonly sockets: number
  readonly timers: number
}

class Results extends Context.Tag("test/Results")<Results, {
  readonly cells: ReadonlyArray<Played>
  readonly left: Left
}>() {}

const cellsOf = (rows: ReadonlyArray<Row>, server: FaultServer.FaultServer) =>
  rows.flatMap((row) =>
    examples.flatMap((example) =>
      [false, true].map((cached) =>
        Effect.map(
          Cell.play(row, example, cached, server),
          (cell): Played => ({ ...cell, row, example, cached })
        )
      )
    )
  )

/** Whether a row waits since the service says so: such rows cost nothing but time. */
const waits = ({ attempts, timeouts }: Row): boolean => attempts === 2 && timeouts === undefined

const results = (client: Layer.Layer<HttpClient.HttpClient>) =>
  Layer.effect(
    Results,
    Effect.scoped(Effect.gen(function*() {
      const server = yield* FaultServer.make
      const before = census()
      const cells = yield* Effect.gen(function*() {
        const patient = cellsOf(rows.filter(waits), server)
        const brisk = cellsOf(rows.filter((row) => !waits(row)), server)
        return yield* Effect.all([
          Effect.all(patient, { concurrency: 44 }),
          Effect.all(brisk, { concurrency: 8 })
        ], { concurrency: 2 })
      }).pipe(Effect.provide(client))
      server.closeIdle()
      yield* until("the end of all connections", () => server.connections() === 0)
      yield* until("the end of all sockets and timers", () => {
        const { sockets, timers } = census()
        return sockets <= before.sockets && timers <= before.timers
      })
      const after = census()
      return {
        cells: cells.flat(),
        left: {
          elsewhere: server.elsewhere(),
          connections: server.connections(),
          sockets: Math.max(0, after.sockets - before.sockets),
          timers: Math.max(0, after.timers - before.timers)
        }
      }
    }))
  )

/** What is held against an outcome. */
const summary = ({ facts, received, sent, tag }: Cell.Seen, { facts: wanted = {} }: Outcome) => ({
  tag,
  sent,
  received,
  facts: Object.fromEntries(Object.keys(wanted).map((name) => [name, facts[name]]))
})

const outcomeOf = ({ change, except, read }: Row, { id, method }: Example): Outcome =>
  except?.[id] ?? (method === "GET" ? read : change)

/** The next call asks the service, unless the first was answered and kept, or nobody may ask. */
const nextOf = ({ next }: Row, outcome: Outcome, kept: boolean): Outcome => {
  if (next === "same") return outcome
  if (next === "paused") return { tag: "RateLimited", requests: 0, facts: { status: null, limit: "pause" } }
  return { tag: "ok", requests: outcome.tag === "ok" && kept ? 0 : 1 }
}

/** A value as text, but for members that no program would look at. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) => typeof member === "bigint" ? `${member}n` : member),
    (name, member: unknown) => name === "__proto__" ? undefined : member
  )

/** Whether an object has got a member that it does not have itself. */
const isPolluted = (value: unknown): boolean =>
  typeof value === "object" && value !== null &&
  ("polluted" in value && !Object.hasOwn(value, "polluted") || Object.values(value).some(isPolluted))

/** How late a busy machine may be. */
const lateness = 3000

const check = ({ cached, example, fault, leaks, next, row, stale }: Played): void => {
  const where = `${example.id} ${cached ? "with" : "without"} cache`
  const limit = Duration.toMillis(row.timeouts?.total ?? timeouts.total) + lateness
  const holds = (seen: Cell.Seen, outcome: Outcome): void => {
    const { facts = {}, requests, tag } = outcome
    const received = row.nowhere === undefined ? requests : 0
    expect({ where, ...summary(seen, outcome) }).toEqual({ where, tag, sent: requests, received, facts })
    expect(seen.millis).toBeLessThanOrEqual(limit)
    if (tag !== "ok") return
    expect(isPolluted(seen.value)).toBe(false)
    expect({ where, value: plain(seen.value) }).toEqual({ where, value: plain(next.value) })
  }
  const outcome = outcomeOf(row, example)
  holds(fault, outcome)
  holds(next, nextOf(row, outcome, Cell.isCached(example, cached)))
  if (stale !== null) holds(stale, row.rescued ? { tag: "ok", requests: outcome.requests } : outcome)
  expect({ where, leaks }).toEqual({ where, leaks: [] })
}

/** Plays the matrix with one client, and says row by row what came of it. */
export const suite = (name: string, client: Layer.Layer<HttpClient.HttpClient>): void =>
  withLayer(results(client), { timeout: "5 minutes", excludeTestServices: true })(
    `over real sockets with ${name}`,
    (it) => {
      it.effect.each(rows)("$name", (row) =>
        Effect.map(Results, ({ cells }) => {
          const own = cells.filter((cell) => cell.row === row)
          expect(own).toHaveLength(2 * examples.length)
          for (const cell of own) check(cell)
        }))

      it.effect("nothing reached the host that redirects point to", () =>
        Effect.map(Results, ({ left }) => expect(left.elsewhere).toBe(0)))

      it.effect("no connection, no socket and no timer was left", () =>
        Effect.map(
          Results,
          ({ left }) => expect(left).toMatchObject({ connections: 0, sockets: 0, timers: 0 })
        ))

      it.effect("no prototype was changed", () =>
        Effect.map(Results, () => {
          expect("polluted" in {}).toBe(false)
          expect("polluted" in []).toBe(false)
        }))
    }
  )
