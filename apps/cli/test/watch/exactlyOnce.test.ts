/** A watch prints every record exactly once, over events between its polls and during them. */
import { Hash } from "@blockquarry/core/Hash"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { transferIds } from "../support/quarry.ts"
import { type RunningWatch, startWatch, temporaryFile } from "./support.ts"

const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"

const overlap = 8

interface Transfer {
  block: number
  readonly hash: string
  /** Null for records that are equal to others of the block. */
  readonly logIndex: number | null
}

const idOf = ({ hash, logIndex }: Pick<Transfer, "hash" | "logIndex">): string => `${hash}:${logIndex}`

const decodeHash = Schema.decodeSync(Hash)

/** An upstream with the transfers of a wallet, and with failures. */
const transferUpstream = () => {
  const transfers: Array<Transfer> = []
  let failures: ReadonlyArray<"reset" | 429 | 500 | 503> = []
  let intercepted: { skip: number; readonly effect: Effect.Effect<never> } | null = null
  const highestBlock = () => Math.max(0, ...transfers.map(({ block }) => block))
  const answer = (url: URL) => {
    const from = Number(url.searchParams.get("from_block") ?? 0)
    const limit = Number(url.searchParams.get("limit") ?? 100)
    const start = Number(url.searchParams.get("cursor") ?? 0)
    const ordered = transfers.filter(({ block }) => block >= from).sort((a, b) => a.block - b.block)
    if (url.searchParams.get("order")?.toUpperCase() !== "ASC") ordered.reverse()
    const end = start + limit
    return Schema.encodeSync(walletTransfers.output)({
      total: null,
      page: null,
      page_size: null,
      cursor: end < ordered.length ? String(end) : null,
      result: ordered.slice(start, end).map(({ block, hash, logIndex }) =>
        Erc20Transfer.example({
          block_number: block,
          log_index: logIndex,
          transaction_hash: decodeHash(hash)
        })
      )
    })
  }
  const client = HttpClient.make((request, url) =>
    Effect.gen(function*() {
      if (intercepted !== null && intercepted.skip-- === 0) {
        const { effect } = intercepted
        intercepted = null
        return yield* effect
      }
      const [failure, ...others] = failures
      failures = others
      if (failure === "reset") {
        return yield* new HttpClientError.RequestError({ request, reason: "Transport", description: "reset" })
      }
      const body = failure === undefined ? JSON.stringify(answer(url)) : "{\"message\":\"failure\"}"
      return HttpClientResponse.fromWeb(
        request,
        new Response(body, { status: failure ?? 200, headers: { "content-type": "application/json" } })
      )
    })
  )
  return {
    client,
    highestBlock,
    /** Adds a transfer to a block. Every third one has no index, and is equal to others of its block. */
    add: (block: number) => {
      const isEqual = transfers.length % 3 === 2
      const hash = `0x${String(isEqual ? block : transfers.length).padStart(64, isEqual ? "e" : "0")}`
      transfers.push({ block, hash, logIndex: isEqual ? null : 0 })
    },
    /** Moves one of the transfers of the last blocks to a higher block, as a reorganization does. */
    move: (pick: number, blocks: number) => {
      const movable = transfers.filter(({ block, logIndex }) =>
        logIndex !== null && block > highestBlock() - overlap
      )
      const transfer = movable[pick % movable.length]
      if (transfer !== undefined) transfer.block = Math.min(highestBlock(), transfer.block + blocks)
    },
    ids: () => transfers.map(idOf),
    failNext: (next: typeof failures) => {
      failures = [...failures, ...next]
    },
    isFailing: () => failures.length > 0,
    /** Runs an effect instead of the answer to a later request: the next one, or one after `skip` others. */
    interceptAfter: (skip: number, effect: Effect.Effect<never>) => {
      intercepted = { skip, effect }
    }
  }
}

const tagged = <Tag extends string, A>(tag: Tag, fields: { [K in keyof A]: FastCheck.Arbitrary<A[K]> }) =>
  FastCheck.record(fields).map((event) => ({ tag, ...event }))

const failure = FastCheck.constantFrom("reset" as const, 429 as const, 500 as const, 503 as const)

const event = FastCheck.oneof(
  tagged("poll", {}),
  tagged("arrive", { blocks: FastCheck.nat(6), count: FastCheck.integer({ min: 1, max: 7 }) }),
  tagged("move", { pick: FastCheck.nat(20), blocks: FastCheck.integer({ min: 1, max: overlap - 1 }) }),
  tagged("late", { depth: FastCheck.nat(overlap - 1) }),
  tagged("fail", { failures: FastCheck.array(failure, { minLength: 1, maxLength: 6 }) }),
  // Null between polls, otherwise during the poll after this many requests
  tagged("restart", { afterRequests: FastCheck.option(FastCheck.nat(4)) })
)

it.scoped.prop(
  "prints every record exactly once over arrivals, late records, reorganizations, failures and restarts",
  [
    FastCheck.array(event, { minLength: 1, maxLength: 14 }),
    FastCheck.integer({ min: 1, max: 5 })
  ],
  ([events, limit]) =>
    Effect.gen(function*() {
      const upstream = transferUpstream()
      for (const block of [95, 97, 100, 100]) upstream.add(block)
      const old = upstream.ids().length
      const state = temporaryFile("state.json")
      const line = `watch wallet transfers ${wallet} --limit ${limit} --overlap ${overlap} --state ${state}`
      const start = startWatch(line.split(" "), upstream.client)
      let watch: RunningWatch = yield* start
      let out = ""
      const restart = Effect.gen(function*() {
        yield* watch.interrupt
        out += watch.captured.out
        watch = yield* start
      })
      for (const each of events) {
        switch (each.tag) {
          case "poll":
            yield* watch.poll
            break
          case "arrive": {
            const block = upstream.highestBlock() + each.blocks
            for (let index = 0; index < each.count; index++) upstream.add(block)
            break
          }
          case "late":
            upstream.add(upstream.highestBlock() - each.depth)
            break
          case "move":
            upstream.move(each.pick, each.blocks)
            break
          case "fail":
            upstream.failNext(each.failures)
            break
          case "restart":
            if (each.afterRequests !== null) {
              const { fiber } = watch
              upstream.interceptAfter(
                each.afterRequests,
                Effect.zipRight(Effect.forkDaemon(Fiber.interrupt(fiber)), Effect.never)
              )
              yield* watch.poll
            }
            yield* restart
            break
        }
      }
      while (upstream.isFailing()) yield* watch.poll
      yield* watch.poll
      yield* watch.poll
      yield* restart
      yield* watch.interrupt
      const printed = transferIds(out + watch.captured.out)
      expect(printed.toSorted()).toEqual(upstream.ids().slice(old).toSorted())
    }),
  // Waits of real files take most of the time
  { fastCheck: { numRuns: isFull ? 80 : 7 } }
)
