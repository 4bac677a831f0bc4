/** Tests waiting until a collection is indexed. */
import { waitUntilSynced } from "@blockquarry/http/Sync"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { address, nft } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { whileTimePasses } from "./support/TestTime.ts"

const waitsBetween = ({ requests }: TestClients.Harness) =>
  requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0))

const page = (status: string | null) => ScriptedClient.json({ status, cursor: null, result: [nft] })
const syncing = page("SYNCING")

describe("waitUntilSynced", () => {
  it.effect.each(["SYNCED", null, "DONE"])(
    "repeats the call while the status is SYNCING, and returns a response with the status %s",
    (status) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([syncing, syncing, page(status)])
        const owners = harness.data.nftOwners({ address, token_id: "1" })
        expect(yield* whileTimePasses(waitUntilSynced(owners))).toMatchObject({ status })
        expect(harness.requests).toHaveLength(3)
      })
  )

  it.effect("repeats after 2 s at first and 10 s later, and fails after 2 min by default", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => syncing)
      expect(yield* whileTimePasses(failureOf(waitUntilSynced(harness.data.contractNfts({ address })))))
        .toMatchObject({
          _tag: "StillSyncingError"
        })
      const waits = waitsBetween(harness)
      expect(waits[0]).toBe(2000)
      expect(waits.at(-1)).toBe(10_000)
      expect(waits).toEqual(waits.toSorted((a, b) => a - b))
      expect(harness.requests.at(-1)?.at).toBeLessThan(120_000)
      expect(harness.requests.at(-1)?.at).toBeGreaterThanOrEqual(110_000)
    }))

  it.effect("fails at a given deadline, also during a request", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([syncing, syncing, ScriptedClient.Hang()])
      const options = { schedule: Schedule.spaced("4 seconds"), timeout: "10 seconds" } as const
      const synced = waitUntilSynced(harness.data.contractNfts({ address }), options)
      expect((yield* whileTimePasses(failureOf(synced)))._tag).toBe("StillSyncingError")
      expect(waitsBetween(harness)).toEqual([4000, 4000])
      expect(harness.requests[2]?.signal.aborted).toBe(true)
    }))

  it.effect.each([ScriptedClient.respond(404), ScriptedClient.json(null)])(
    "repeats after NotFoundError only with retryNotFound",
    (notFound) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness((_, number) =>
          number < 4 ? notFound : ScriptedClient.json(nft)
        )
        const call = harness.data.nftMetadata({ address, token_id: "9" })
        expect((yield* whileTimePasses(failureOf(waitUntilSynced(call))))._tag).toBe("NotFoundError")
        const found = yield* whileTimePasses(waitUntilSynced(call, { retryNotFound: true }))
        expect(found).toMatchObject({ token_id: 9n })
        expect(harness.requests).toHaveLength(4)
      })
  )
})
