/** An upstream with the transfers of a wallet, which a test adds, and with failures. */
import { Hash } from "@blockquarry/core/Hash"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface TransferUpstream {
  readonly client: HttpClient.HttpClient
  /** Adds a transfer to a block, after those that the block has. Returns its position in the block. */
  readonly add: (block: number) => string
  /** The highest block with a transfer. */
  readonly highestBlock: () => number
  /** All transfers, as `block:position`. */
  readonly ids: () => ReadonlyArray<string>
  /** Fails the next requests. */
  readonly failNext: (failures: ReadonlyArray<"reset" | 429 | 500 | 503>) => void
  /** Whether the next request fails. */
  readonly isFailing: () => boolean
  /** Runs an effect instead of the answer to a later request: the next one, or one after `skip` others. */
  readonly interceptAfter: (skip: number, effect: Effect.Effect<never>) => void
}

const hash = (block: number, index: number): string =>
  `0x${block.toString(16).padStart(32, "0")}${index.toString(16).padStart(32, "0")}`

const decodeHash = Schema.decodeSync(Hash)

export const transferUpstream = (): TransferUpstream => {
  const blocks = new Map<number, number>()
  let failures: ReadonlyArray<"reset" | 429 | 500 | 503> = []
  let intercepted: { skip: number; readonly effect: Effect.Effect<never> } | null = null
  const positions = () =>
    [...blocks].sort(([a], [b]) => a - b).flatMap(([block, count]) =>
      Array.from({ length: count }, (_, index) => ({ block, index }))
    )
  const answer = (url: URL) => {
    const from = Number(url.searchParams.get("from_block") ?? 0)
    const limit = Number(url.searchParams.get("limit") ?? 100)
    const cursor = url.searchParams.get("cursor")
    const [afterBlock = -1, afterIndex = -1] = cursor?.split(":").map(Number) ?? []
    const isAscending = url.searchParams.get("order")?.toUpperCase() === "ASC"
    const ordered = positions().filter(({ block }) => block >= from)
    if (!isAscending) ordered.reverse()
    const rest = cursor === null
      ? ordered
      : ordered.slice(
        ordered.findIndex(({ block, index }) => block === afterBlock && index === afterIndex) + 1
      )
    const result = rest.slice(0, limit)
    const last = result.at(-1)
    return Schema.encodeSync(walletTransfers.output)({
      total: null,
      page: null,
      page_size: null,
      cursor: last === undefined || rest.length <= limit ? null : `${last.block}:${last.index}`,
      result: result.map(({ block, index }) =>
        Erc20Transfer.example({
          block_number: block,
          log_index: index,
          transaction_hash: decodeHash(hash(block, index))
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
    add: (block) => {
      const index = blocks.get(block) ?? 0
      blocks.set(block, index + 1)
      return `${block}:${index}`
    },
    highestBlock: () => Math.max(0, ...blocks.keys()),
    ids: () => positions().map(({ block, index }) => `${block}:${index}`),
    failNext: (next) => {
      failures = [...failures, ...next]
    },
    isFailing: () => failures.length > 0,
    interceptAfter: (skip, effect) => {
      intercepted = { skip, effect }
    }
  }
}

/** Returns the transfers of an output, as `block:position`. */
export const printedIds = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line !== "").map((line) => {
    const { block_number, log_index }: Record<string, unknown> = JSON.parse(line)
    return `${String(block_number)}:${String(log_index)}`
  })
