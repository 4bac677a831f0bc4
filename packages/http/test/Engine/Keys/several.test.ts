/** Several keys at one address: who is asked, who rests, and that nobody fails while one of them works. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { keysOf, labelOf } from "../../support/Engines.ts"
import { updateStreamStatus } from "../../support/Examples.ts"
import { failure } from "../../support/Failure.ts"
import { caching, counted } from "../../support/Keeping.ts"
import { bare, fine, fork, price, seconds, throttled, upTo } from "../../support/Numbered.ts"
import { passing, settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

/** What a service answers by the label of the key. */
const by = (replies: Readonly<Record<string, Scripted.Reply>>): Scripted.Script => (asked) =>
  replies[labelOf(asked)] ?? fine

const refused = Scripted.answer(401, JSON.stringify({ message: "no such key" }))

const withKeys = (...labels: ReadonlyArray<string>) => ({ ...bare, apiKey: keysOf(...labels) })

describe("keys", () => {
  it.effect("take turns", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, withKeys("a", "b", "c"))
      for (const number of upTo(6)) yield* price(scene, number)
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "c", "a", "b", "c"])
    }))

  it.effect("take turns at the same time as well", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.late("1 second", fine), withKeys("a", "b", "c"))
      yield* fork(scene, upTo(6))
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "c", "a", "b", "c"])
    }))

  it.effect("that are given twice count once", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => refused, withKeys("a", "a"))
      yield* Effect.ignore(price(scene, 1))
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect("share their flights: two who ask the same at once make one request", () =>
    Effect.gen(function*() {
      const options = { ...caching, apiKey: keysOf("a", "b", "c"), baseUrl: "https://here.test" }
      const { asked, clients } = yield* Clients.shared(
        (asked, number) => Scripted.late("1 second", counted(asked, number)),
        {
          one: options,
          same: { ...options, apiKey: keysOf("c", "a", "b") },
          fewer: { ...options, apiKey: keysOf("a") }
        }
      )
      const ask = (one: Clients.Clients) => Effect.zipLeft(Effect.fork(price(one, 1)), settled)
      const fibers = yield* Effect.forEach([clients.one, clients.one, clients.same, clients.fewer], ask)
      yield* TestClock.adjust("1 second")
      const prices = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(prices.map(({ usdPrice }) => usdPrice)).toEqual([1, 1, 1, 2])
      expect(asked).toHaveLength(2)
    }))
})

describe("a key that is refused", () => {
  it.effect.each([401, 402, 403, 407, 424])(
    "with %d is left, and the attempt goes on with another at once",
    (status) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(by({ a: Scripted.answer(status) }), withKeys("a", "b"))
        yield* price(scene, 1)
        expect(scene.asked.map(labelOf)).toEqual(["a", "b"])
        expect(seconds(scene.asked)).toEqual([0, 0])
      })
  )

  it.effect("is left by a change too, for what was refused took no effect", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked) =>
          ({ a: refused, b: Scripted.answer(429) })[labelOf(asked)] ?? Scripted.json({ id: "stream-1" }),
        withKeys("a", "b", "c")
      )
      yield* Effect.ignore(updateStreamStatus.ask(scene))
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "c"])
      expect(scene.asked.map(({ method }) => method)).toEqual(["POST", "POST", "POST"])
    }))

  it.effect("is not left for failures that are not its own", () =>
    Effect.gen(function*() {
      for (const status of [400, 404, 408, 422, 500, 502, 503]) {
        const scene = yield* Clients.scene(() => Scripted.answer(status), withKeys("a", "b"))
        yield* Effect.ignore(price(scene, 1))
        expect(scene.asked).toHaveLength(1)
      }
    }))

  it.effect("rests for a second, twice as long each time, and a minute at most", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(by({ a: refused }), withKeys("a", "b"))
      // Somebody asks every half second.
      for (const number of upTo(500)) {
        yield* price(scene, number)
        yield* TestClock.adjust(500)
      }
      const tried = seconds(scene.asked.filter((asked) => labelOf(asked) === "a"))
      const waits = tried.slice(1).map((at, index) => at - (tried[index] ?? 0))
      // After a rest it is its turn with one of the next two calls.
      const rests = [1, 2, 4, 8, 16, 32, 60, 60]
      expect(
        waits.slice(0, rests.length).map((wait, index) => wait - (rests[index] ?? 0)).every((late) =>
          late >= 0 && late <= 0.5
        )
      ).toBe(true)
    }))

  it.effect("begins anew with a second once it has worked", () =>
    Effect.gen(function*() {
      let works = false
      const scene = yield* Clients.scene(
        (asked) => labelOf(asked) === "a" && !works ? refused : fine,
        withKeys("a", "b")
      )
      const ask = (times: number) => Effect.forEach(upTo(times), (number) => price(scene, number))
      yield* ask(1)
      yield* TestClock.adjust(1000)
      yield* ask(2)
      yield* TestClock.adjust(2000)
      works = true
      yield* ask(2)
      works = false
      const before = scene.asked.length
      yield* ask(2)
      yield* TestClock.adjust(999)
      yield* ask(2)
      expect(scene.asked.slice(before).filter((asked) => labelOf(asked) === "a")).toHaveLength(1)
      yield* TestClock.adjust(1)
      yield* ask(2)
      expect(scene.asked.slice(before).filter((asked) => labelOf(asked) === "a")).toHaveLength(2)
    }))

  it.effect("counts once, however many were under way with it", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked) => Scripted.late("100 millis", labelOf(asked) === "a" ? refused : fine),
        withKeys("a", "b")
      )
      yield* fork(scene, upTo(20))
      yield* TestClock.adjust(200)
      const before = scene.asked.length
      expect(before).toBe(30)
      yield* TestClock.adjust(899)
      yield* fork(scene, upTo(2))
      expect(scene.asked.slice(before).map(labelOf)).toEqual(["b", "b"])
      yield* TestClock.adjust(1)
      yield* fork(scene, upTo(2))
      expect(scene.asked.slice(before + 2).map(labelOf)).toContain("a")
    }))

  it.effect("never rests where it is the last that does not", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => refused, withKeys("a", "b"))
      for (const number of upTo(3)) {
        expect(yield* failure(price(scene, number))).toMatchObject({ _tag: "KeyRefused", status: 401 })
      }
      // All fail at the first call; from then on the one that may not rest is asked alone.
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "b", "b"])
      const alone = yield* Clients.scene(() => refused, withKeys("a"))
      for (const number of upTo(3)) yield* Effect.ignore(price(alone, number))
      expect(alone.asked).toHaveLength(3)
    }))

  it.effect("is no reason for a retry, and its rest none to wait", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => refused, {
        ...withKeys("a", "b", "c"),
        retry: Clients.atOnce(4)
      })
      expect(yield* failure(price(scene, 1))).toMatchObject({ _tag: "KeyRefused" })
      expect(seconds(scene.asked)).toEqual([0, 0, 0])
    }))
})

describe("a key that is throttled", () => {
  it.effect("is left at once, and left alone for as long as the service asks", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => labelOf(asked) === "a" && number < 3 ? throttled("30") : fine,
        withKeys("a", "b")
      )
      for (const number of upTo(120)) {
        yield* price(scene, number)
        yield* TestClock.adjust(500)
      }
      expect(seconds(scene.asked).slice(0, 3)).toEqual([0, 0, 0.5])
      const tried = seconds(scene.asked.filter((asked) => labelOf(asked) === "a"))
      expect(tried[0]).toBe(0)
      expect(tried[1]).toBeGreaterThanOrEqual(30)
      expect(tried[1]).toBeLessThanOrEqual(30.5)
    }))

  it.effect.each(["61", "3600"])(
    "is left alone for a minute at most: %s",
    (header) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(by({ a: throttled(header) }), withKeys("a", "b"))
        yield* price(scene, 1)
        yield* TestClock.adjust("59 seconds")
        yield* price(scene, 2)
        yield* price(scene, 3)
        expect(scene.asked.map(labelOf)).toEqual(["a", "b", "b", "b"])
        yield* TestClock.adjust("1 second")
        yield* price(scene, 4)
        yield* price(scene, 5)
        expect(scene.asked.slice(4).map(labelOf)).toContain("a")
      })
  )

  it.effect("is waited for where all are: the one that is up first", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => number > 2 ? fine : throttled(labelOf(asked) === "a" ? "20" : "5"),
        { ...withKeys("a", "b"), rateLimit: { ...bare.rateLimit, maxWait: "1 day" } }
      )
      const first = yield* failure(price(scene, 1))
      expect(first).toMatchObject({ _tag: "RateLimited", status: 429 })
      const [second] = yield* fork(scene, [2])
      yield* TestClock.adjust(4999)
      expect(scene.asked).toHaveLength(2)
      yield* TestClock.adjust(1)
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "b"])
      if (second !== undefined) expect(Exit.isSuccess(yield* Fiber.await(second))).toBe(true)
    }))

  it.effect("is waited for where the others are refused", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => labelOf(asked) === "b" ? refused : number === 1 ? throttled("3") : fine,
        {
          ...withKeys("a", "b"),
          rateLimit: { ...bare.rateLimit, maxWait: "1 day" },
          retry: Clients.atOnce(2)
        }
      )
      yield* passing(price(scene, 1), "3 seconds")
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "a"])
      expect(seconds(scene.asked)).toEqual([0, 0, 3])
    }))

  it.effect("is waited for by those who come during its pause, where the others are refused", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => labelOf(asked) === "b" ? refused : number === 1 ? throttled("3") : fine,
        { ...withKeys("a", "b"), rateLimit: { ...bare.rateLimit, maxWait: "1 day" } }
      )
      yield* Effect.ignore(price(scene, 1))
      yield* passing(price(scene, 2), "3 seconds")
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "b", "a"])
    }))
})

describe("with several keys", () => {
  const bad = FastCheck.constantFrom(401, 402, 403, 407, 424)

  it.effect.prop(
    "no call fails while one of them works, and no attempt asks one twice",
    {
      keys: FastCheck.array(FastCheck.option(bad), { minLength: 1, maxLength: 6 }),
      works: FastCheck.nat(),
      steps: FastCheck.array(
        FastCheck.record({ calls: FastCheck.integer({ min: 1, max: 4 }), after: FastCheck.nat(5000) }),
        { minLength: 1, maxLength: 12 }
      )
    },
    ({ keys, steps, works }) =>
      Effect.gen(function*() {
        const labels = keys.map((_, index) => `key${index}`)
        const good = `key${works % keys.length}`
        const scene = yield* Clients.scene((asked) => {
          const label = labelOf(asked)
          const status = label === good ? null : keys[labels.indexOf(label)] ?? null
          return Scripted.late("10 millis", status === null ? fine : Scripted.answer(status))
        }, withKeys(...labels))
        for (const { after, calls } of steps) {
          const fibers = yield* fork(scene, upTo(calls))
          yield* TestClock.adjust(100)
          for (const fiber of fibers) expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
          yield* TestClock.adjust(after)
        }
        const calls = steps.reduce((sum, step) => sum + step.calls, 0)
        expect(scene.asked.length).toBeLessThanOrEqual(calls * keys.length)
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect.prop(
    "those that are refused, used up or throttled now and then never keep a call from being answered",
    {
      faults: FastCheck.array(FastCheck.constantFrom(200, 401, 402, 403, 429, 429), {
        minLength: 1,
        maxLength: 20
      }),
      pauses: FastCheck.array(FastCheck.boolean(), { maxLength: 10 }),
      keys: FastCheck.integer({ min: 1, max: 4 })
    },
    ({ faults, keys, pauses }) =>
      Effect.gen(function*() {
        const labels = upTo(keys).map((index) => `key${index}`)
        const turns = { good: 0, others: 0 }
        // Besides those there is one that works, but wants to be left alone from time to time.
        const scene = yield* Clients.scene((asked) => {
          if (labelOf(asked) === "good") return pauses[turns.good++] === true ? throttled("2") : fine
          const fault = faults[turns.others++ % faults.length] ?? 200
          return fault === 200 ? fine : fault === 429 ? throttled("2") : Scripted.answer(fault)
        }, {
          ...withKeys(...labels, "good"),
          rateLimit: { ...bare.rateLimit, maxWait: "1 day" },
          retry: { ...Clients.atOnce(100), budget: { capacity: 1e9, refill: 0 } }
        })
        for (const number of upTo(8)) yield* passing(price(scene, number), "5 minutes")
        expect(scene.asked.length).toBeGreaterThanOrEqual(8)
      }),
    { fastCheck: { numRuns: 15 } }
  )
})
