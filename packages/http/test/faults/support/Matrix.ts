/** The fault matrix: every fault for every operation, with and without cache, over real sockets. */
import type * as HttpClient from "@effect/platform/HttpClient"
import { expect, layer as withLayer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isFull } from "../../../../core/test/support/sample.ts"
import { type Example, examples as all } from "../../support/Examples.ts"
import { bodyRows } from "./BodyRows.ts"
import * as Cell from "./Cell.ts"
import { connectionRows } from "./ConnectionRows.ts"
import * as FaultServer from "./FaultServer.ts"
import { type ExpectedOutcome, type Row, timeouts } from "./Row.ts"
import { statusRows } from "./StatusRows.ts"
import { until } from "./Wait.ts"

export const rows: ReadonlyArray<Row> = [...connectionRows, ...statusRows, ...bodyRows]

const nested = { a: { b: [{ c: 1 }] } }

/** Documents with fields that contain arbitrary JSON. */
const documents: Readonly<Record<string, object>> = {
  ledgerTransaction: { type: "user_transaction", success: true, payload: { arguments: [nested] } },
  nftMetadata: { media: nested, normalized_metadata: nested }
}

const examples: ReadonlyArray<Example> = all.map((example) => ({
  ...example,
  document: { ...Object(example.document), ...documents[example.id] }
}))

interface CellRun extends Cell.CellResult {
  readonly row: Row
  readonly example: Example
  readonly cached: boolean
}

/** Counts the resources that keep this process alive. */
const countResources = () => {
  const activeResources = process.getActiveResourcesInfo()
  return {
    sockets: activeResources.filter((kind) => kind === "TCPSocketWrap").length,
    timers: activeResources.filter((kind) => kind === "Timeout").length
  }
}

/** Resources that remain after all cells ran and idle connections were closed. */
interface Leftovers {
  readonly otherHostConnections: number
  readonly connections: number
  readonly sockets: number
  readonly timers: number
}

class Results extends Context.Tag("test/Results")<Results, {
  readonly cells: ReadonlyArray<CellRun>
  readonly leftovers: Leftovers
}>() {}

/** The operations that a row runs: in `.ci/full` all, otherwise some, so that all rows together run each of them. */
const examplesOf = (row: Row): ReadonlyArray<Example> =>
  isFull
    ? examples
    : examples.filter(({ id }, index) =>
      (index + rows.indexOf(row)) % 4 === 0 || row.except?.[id] !== undefined
    )

const cellsOf = (server: FaultServer.FaultServer) =>
  rows.flatMap((row) =>
    examplesOf(row).flatMap((example) =>
      [false, true].map((cached) =>
        Effect.map(
          Cell.runCell(row, example, cached, server),
          (cell): CellRun => ({ ...cell, row, example, cached })
        )
      )
    )
  )

const results = (client: Layer.Layer<HttpClient.HttpClient>) =>
  Layer.effect(
    Results,
    Effect.scoped(Effect.gen(function*() {
      const server = yield* FaultServer.make
      const before = countResources()
      const cells = yield* Effect.all(cellsOf(server), { concurrency: 8 }).pipe(Effect.provide(client))
      server.closeIdle()
      yield* until("all connections to close", () => server.connections() === 0)
      yield* until("all sockets and timers to close", () => {
        const { sockets, timers } = countResources()
        return sockets <= before.sockets && timers <= before.timers
      })
      const after = countResources()
      return {
        cells,
        leftovers: {
          otherHostConnections: server.otherHostConnections(),
          connections: server.connections(),
          sockets: Math.max(0, after.sockets - before.sockets),
          timers: Math.max(0, after.timers - before.timers)
        }
      }
    }))
  )

/** Returns the part of a result that is compared with the expected outcome. */
const summary = (
  { fields, received, sent, tag }: Cell.CallResult,
  { fields: expectedFields = {} }: ExpectedOutcome
) => ({
  tag,
  sent,
  received,
  fields: Object.fromEntries(Object.keys(expectedFields).map((name) => [name, fields[name]]))
})

const outcomeOf = ({ update, except, get }: Row, { id, method }: Example): ExpectedOutcome =>
  except?.[id] ?? (method === "GET" ? get : update)

/** The expected outcome of the next call, which sends a request unless the response is cached or there is a cooldown. */
const nextOf = ({ next }: Row, outcome: ExpectedOutcome, isCached: boolean): ExpectedOutcome => {
  if (next === "same") return outcome
  if (next === "cooldown") {
    return { tag: "RateLimitError", requests: 0, fields: { sent: false } }
  }
  return { tag: "ok", requests: outcome.tag === "ok" && isCached ? 0 : 1 }
}

/** Converts a value to plain JSON, without `__proto__`. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) => typeof member === "bigint" ? `${member}n` : member),
    (name, member: unknown) => name === "__proto__" ? undefined : member
  )

/** Whether a value inherits a polluted member from its prototype. */
const isPolluted = (value: unknown): boolean =>
  typeof value === "object" && value !== null &&
  ("polluted" in value && !Object.hasOwn(value, "polluted") || Object.values(value).some(isPolluted))

const check = ({ cached, example, fault, leaks, next, row, stale }: CellRun): void => {
  const where = `${example.id} ${cached ? "with" : "without"} cache`
  const limit = Duration.toMillis(row.timeouts?.call ?? timeouts.call)
  const expectOutcome = (result: Cell.CallResult, outcome: ExpectedOutcome): void => {
    const { fields = {}, requests, tag } = outcome
    const received = row.unreachableHost === undefined ? requests : 0
    expect({ where, ...summary(result, outcome) }).toEqual({ where, tag, sent: requests, received, fields })
    expect(result.millis).toBeLessThanOrEqual(limit)
    if (tag !== "ok") return
    expect(isPolluted(result.value)).toBe(false)
    expect({ where, value: plain(result.value) }).toEqual({ where, value: plain(next.value) })
  }
  const outcome = outcomeOf(row, example)
  expectOutcome(fault, outcome)
  expectOutcome(next, nextOf(row, outcome, Cell.isCached(example, cached)))
  if (stale !== null) {
    expectOutcome(stale, row.servesStale ? { tag: "ok", requests: outcome.requests } : outcome)
  }
  expect({ where, leaks }).toEqual({ where, leaks: [] })
}

/** Runs the matrix with one client, and checks it row by row. */
export const suite = (name: string, client: Layer.Layer<HttpClient.HttpClient>): void =>
  withLayer(results(client), { timeout: "15 minutes", excludeTestServices: true })(
    `over real sockets with ${name}`,
    (it) => {
      it.effect.each(rows)("$name", (row) =>
        Effect.map(Results, ({ cells }) => {
          const cellsOfRow = cells.filter((cell) => cell.row === row)
          expect(cellsOfRow).toHaveLength(2 * examplesOf(row).length)
          for (const cell of cellsOfRow) check(cell)
        }))

      it.effect("sends nothing to the target of redirects", () =>
        Effect.map(Results, ({ leftovers }) => expect(leftovers.otherHostConnections).toBe(0)))

      it.effect("leaves no connections, sockets or timers", () =>
        Effect.map(
          Results,
          ({ leftovers }) => expect(leftovers).toMatchObject({ connections: 0, sockets: 0, timers: 0 })
        ))

      it.effect("does not pollute prototypes", () =>
        Effect.map(Results, () => {
          expect("polluted" in {}).toBe(false)
          expect("polluted" in []).toBe(false)
        }))
    }
  )
