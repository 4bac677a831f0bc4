/** Waiting for a collection to be indexed. */
import { waitUntilSynced } from "@blockquarry/http/Sync"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { address, nft } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { waitsBetween, whileTimePasses } from "./support/TestTime.ts"

const page = (status: string | null) => ScriptedClient.json({ status, cursor: null, result: [nft] })
const syncing = page("SYNCING")

describe("whenSynced", () => {
  it.effect.each(["SYNCED", null, "DONE"])(
    "gives an answer of status %s at once",
    (status) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([page(status)])
        expect(yield* waitUntilSynced(harness.data.contractNfts({ address }))).toMatchObject({ status })
      })
  )

  it.effect("asks again for as long as the answer is SYNCING", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([syncing, syncing, syncing, page("SYNCED")])
      const owners = harness.data.nftOwners({ address, token_id: "1" })
      expect(yield* whileTimePasses(waitUntilSynced(owners))).toMatchObject({ status: "SYNCED" })
      expect(harness.requests).toHaveLength(4)
    }))

  it.effect("asks first every two seconds, later every ten, and gives up after two minutes", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => syncing)
      expect(yield* whileTimePasses(failureOf(waitUntilSynced(harness.data.contractNfts({ address })))))
        .toMatchObject({
          _tag: "StillSyncingError"
        })
      const found = waitsBetween(harness.requests)
      expect(found[0]).toBe(2000)
      expect(found.at(-1)).toBe(10_000)
      expect(found).toEqual(found.toSorted((a, b) => a - b))
      expect(harness.requests.at(-1)?.at).toBeLessThan(120_000)
      expect(harness.requests.at(-1)?.at).toBeGreaterThanOrEqual(110_000)
    }))

  it.effect("goes by another schedule, and gives up where that ends", () =>
    Effect.gen(function*() {
      const schedule = Schedule.intersect(Schedule.spaced("5 seconds"), Schedule.recurs(3))
      const harness = yield* TestClients.harness(() => syncing)
      const error = yield* whileTimePasses(
        failureOf(waitUntilSynced(harness.data.contractNfts({ address }), { schedule }))
      )
      expect(error._tag).toBe("StillSyncingError")
      expect(error.message).toContain("still being indexed")
      expect(waitsBetween(harness.requests)).toEqual([5000, 5000, 5000])
    }))

  it.effect("gives up at another deadline, in the middle of a request too", () =>
    Effect.gen(function*() {
      const spaced = yield* TestClients.harness(() => syncing)
      const options = { schedule: Schedule.spaced("4 seconds"), timeout: "10 seconds" } as const
      expect(
        (yield* whileTimePasses(failureOf(waitUntilSynced(spaced.data.contractNfts({ address }), options))))
          ._tag
      )
        .toBe("StillSyncingError")
      expect(waitsBetween(spaced.requests)).toEqual([4000, 4000])
      const hanging = yield* TestClients.harness([syncing, ScriptedClient.Hang()])
      expect(
        (yield* whileTimePasses(failureOf(waitUntilSynced(hanging.data.contractNfts({ address }), options))))
          ._tag
      )
        .toBe("StillSyncingError")
      expect(hanging.requests[1]?.signal.aborted).toBe(true)
    }))

  it.effect.each([ScriptedClient.respond(404), ScriptedClient.json(null)])(
    "waits for what is not found only where it is told to",
    (notFound) =>
      Effect.gen(function*() {
        const once = yield* TestClients.harness([notFound])
        const ask = (harness: TestClients.Harness) => harness.data.nftMetadata({ address, token_id: "9" })
        expect((yield* whileTimePasses(failureOf(waitUntilSynced(ask(once)))))._tag).toBe("NotFoundError")
        const longWaitLimit = yield* TestClients.harness([notFound, notFound, ScriptedClient.json(nft)])
        expect(yield* whileTimePasses(waitUntilSynced(ask(longWaitLimit), { retryNotFound: true })))
          .toMatchObject({
            token_id: 9n
          })
        expect(longWaitLimit.requests).toHaveLength(3)
        const never = yield* TestClients.harness(() => notFound)
        expect((yield* whileTimePasses(failureOf(waitUntilSynced(ask(never), { retryNotFound: true }))))._tag)
          .toBe(
            "StillSyncingError"
          )
      })
  )

  it.effect("fails at once with every other failure", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([syncing, ScriptedClient.respond(400)])
      const call = waitUntilSynced(harness.data.contractNfts({ address }), { retryNotFound: true })
      expect((yield* whileTimePasses(failureOf(call)))._tag).toBe("RequestRejectedError")
    }))

  it.effect("starts over each time that it is run", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => syncing)
      const call = waitUntilSynced(harness.data.contractNfts({ address }), {
        schedule: Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(1))
      })
      yield* whileTimePasses(failureOf(call))
      yield* whileTimePasses(failureOf(call))
      expect(harness.requests).toHaveLength(4)
    }))
})
