/** Waiting for a collection to be indexed. */
import { whenSynced } from "@blockquarry/http/Synced"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Clients from "./support/Clients.ts"
import { address, nft } from "./support/Examples.ts"
import { failure } from "./support/Failure.ts"
import { passing, waits } from "./support/Passing.ts"
import * as Scripted from "./support/Scripted.ts"

const page = (status: string | null) => Scripted.json({ status, cursor: null, result: [nft] })
const syncing = page("SYNCING")

describe("whenSynced", () => {
  it.effect.each(["SYNCED", null, "DONE"])(
    "gives an answer of status %s at once",
    (status) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene([page(status)])
        expect(yield* whenSynced(scene.data.contractNfts({ address }))).toMatchObject({ status })
      })
  )

  it.effect("asks again for as long as the answer is SYNCING", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([syncing, syncing, syncing, page("SYNCED")])
      const owners = scene.data.nftOwners({ address, token_id: "1" })
      expect(yield* passing(whenSynced(owners))).toMatchObject({ status: "SYNCED" })
      expect(scene.asked).toHaveLength(4)
    }))

  it.effect("asks first every two seconds, later every ten, and gives up after two minutes", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => syncing)
      expect(yield* passing(failure(whenSynced(scene.data.contractNfts({ address }))))).toMatchObject({
        _tag: "StillSyncing"
      })
      const found = waits(scene.asked)
      expect(found[0]).toBe(2000)
      expect(found.at(-1)).toBe(10_000)
      expect(found).toEqual(found.toSorted((a, b) => a - b))
      expect(scene.asked.at(-1)?.at).toBeLessThan(120_000)
      expect(scene.asked.at(-1)?.at).toBeGreaterThanOrEqual(110_000)
    }))

  it.effect("goes by another schedule, and gives up where that ends", () =>
    Effect.gen(function*() {
      const schedule = Schedule.intersect(Schedule.spaced("5 seconds"), Schedule.recurs(3))
      const scene = yield* Clients.scene(() => syncing)
      const error = yield* passing(failure(whenSynced(scene.data.contractNfts({ address }), { schedule })))
      expect(error._tag).toBe("StillSyncing")
      expect(error.message).toContain("still being indexed")
      expect(waits(scene.asked)).toEqual([5000, 5000, 5000])
    }))

  it.effect("gives up at another deadline, in the middle of a request too", () =>
    Effect.gen(function*() {
      const spaced = yield* Clients.scene(() => syncing)
      const options = { schedule: Schedule.spaced("4 seconds"), deadline: "10 seconds" } as const
      expect((yield* passing(failure(whenSynced(spaced.data.contractNfts({ address }), options))))._tag)
        .toBe("StillSyncing")
      expect(waits(spaced.asked)).toEqual([4000, 4000])
      const hanging = yield* Clients.scene([syncing, Scripted.Hang()])
      expect((yield* passing(failure(whenSynced(hanging.data.contractNfts({ address }), options))))._tag)
        .toBe("StillSyncing")
      expect(hanging.asked[1]?.signal.aborted).toBe(true)
    }))

  it.effect.each([Scripted.answer(404), Scripted.json(null)])(
    "waits for what is not found only where it is told to",
    (absent) =>
      Effect.gen(function*() {
        const once = yield* Clients.scene([absent])
        const ask = (scene: Clients.Scene) => scene.data.nftMetadata({ address, token_id: "9" })
        expect((yield* passing(failure(whenSynced(ask(once)))))._tag).toBe("NotFound")
        const patient = yield* Clients.scene([absent, absent, Scripted.json(nft)])
        expect(yield* passing(whenSynced(ask(patient), { awaitNotFound: true }))).toMatchObject({
          token_id: 9n
        })
        expect(patient.asked).toHaveLength(3)
        const never = yield* Clients.scene(() => absent)
        expect((yield* passing(failure(whenSynced(ask(never), { awaitNotFound: true }))))._tag).toBe(
          "StillSyncing"
        )
      })
  )

  it.effect("fails at once with every other failure", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([syncing, Scripted.answer(400)])
      const call = whenSynced(scene.data.contractNfts({ address }), { awaitNotFound: true })
      expect((yield* passing(failure(call)))._tag).toBe("BadRequest")
    }))

  it.effect("starts over each time that it is run", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => syncing)
      const call = whenSynced(scene.data.contractNfts({ address }), {
        schedule: Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(1))
      })
      yield* passing(failure(call))
      yield* passing(failure(call))
      expect(scene.asked).toHaveLength(4)
    }))
})
