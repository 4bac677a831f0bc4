/** What clients may use, and what becomes of those who want more. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Budgets from "../src/Budgets.ts"
import type { Client } from "../src/Clients.ts"
import { type Config, defaults } from "../src/Config/Config.ts"
import { ask, client as configOf, configured, start } from "./support/proxy.ts"
import { questions } from "./support/questions.ts"

const client = (limits: Partial<Pick<Client, "limit" | "perDay">>): Client => ({
  name: "one",
  scopes: new Set(),
  limit: null,
  perDay: null,
  ...limits
})

const tenASecond = client({ limit: { limit: 10, window: 1000 } })

const make = (config: Partial<Config["budgets"]> = {}) =>
  Effect.map(RateLimitStore.memory, (store) => Budgets.make({ ...defaults.budgets, ...config }, store))

const outcome = (result: Either.Either<Budgets.Charge, { readonly code: string }>) =>
  Either.match(result, { onLeft: ({ code }) => code, onRight: ({ waited }) => waited })

describe("a rate", () => {
  it.effect("lets through what there is, has the next wait, and refuses whom that would take too long", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      for (const _ of [1, 2]) expect((yield* budgets.take(tenASecond, 5)).waited).toBe(0)
      const waiting = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust("499 millis")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(waiting)).waited).toBe(500)
      const crowd = yield* Effect.fork(
        Effect.all(Array.from({ length: 6 }, () => Effect.either(budgets.take(tenASecond, 5))), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 hour")
      // Two seconds are waited at most, and everybody has a turn in the order of arrival
      expect((yield* Fiber.join(crowd)).map(outcome))
        .toEqual([500, 1000, 1500, 2000, "over-budget", "over-budget"])
    }))

  it.effect("bounds the line, and whoever leaves it makes room", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ maxQueue: 2 })
      yield* budgets.take(tenASecond, 5)
      yield* budgets.take(tenASecond, 5)
      const first = yield* Effect.fork(budgets.take(tenASecond, 5))
      const second = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust(0)
      expect(outcome(yield* Effect.either(budgets.take(tenASecond, 5)))).toBe("over-budget")
      yield* Fiber.interrupt(second)
      const third = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust("1 second")
      expect([(yield* Fiber.join(first)).waited, (yield* Fiber.join(third)).waited]).toEqual([500, 1000])
    }))

  it.effect.prop(
    "never lets more than limit + burst through in any window, whoever waits and gives up",
    [FastCheck.array(
      FastCheck.tuple(FastCheck.integer({ min: 0, max: 400 }), FastCheck.integer({ min: 1, max: 5 })),
      { maxLength: 40 }
    )],
    ([arrivals]) =>
      Effect.gen(function*() {
        const budgets = yield* make()
        const granted: Array<readonly [at: number, units: number]> = []
        const now = TestClock.currentTimeMillis
        const fibers: Array<Fiber.Fiber<unknown>> = []
        for (const [after, units] of arrivals) {
          yield* TestClock.adjust(after)
          fibers.push(
            yield* Effect.fork(Effect.ignore(Effect.flatMap(budgets.take(tenASecond, units), () =>
              Effect.map(now, (at) =>
                granted.push([at, units])))))
          )
        }
        yield* TestClock.adjust("1 hour")
        for (const fiber of fibers) {
          yield* Fiber.join(fiber)
        }
        for (const [from] of granted) {
          const inWindow = granted.filter(([at]) =>
            at >= from && at < from + 1000
          )
          expect(inWindow.reduce((sum, [, units]) => sum + units, 0)).toBeLessThanOrEqual(20)
        }
      }),
    { fastCheck: { numRuns: 50 } }
  )
})

/** What a request of those below came to: when it was over, and whether it was charged. */
interface Ended {
  readonly place: number
  readonly began: number
  readonly at: number
  readonly units: number
  readonly patience: number
  readonly how: "charged" | "refused" | "interrupted"
}

/** Requests that come one after the other; some are interrupted a while later. */
const arrivals = FastCheck.array(
  FastCheck.record({
    after: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300)),
    units: FastCheck.integer({ min: 1, max: 5 }),
    patience: FastCheck.constantFrom(0, 500, 2000, 60_000),
    interruptedAfter: FastCheck.option(FastCheck.nat(1000), { nil: undefined, freq: 5 })
  }),
  { maxLength: 40 }
)

const arrive = (
  budgets: Budgets.Budgets,
  who: Client,
  requests: ReadonlyArray<
    Pick<Ended, "units" | "patience"> & {
      readonly after: number
      readonly interruptedAfter?: number | undefined
    }
  >
) =>
  Effect.gen(function*() {
    const ended: Array<Ended> = []
    const fibers: Array<Fiber.Fiber<unknown>> = []
    for (const [place, { after, interruptedAfter, patience, units }] of requests.entries()) {
      yield* TestClock.adjust(after)
      const began = yield* TestClock.currentTimeMillis
      const end = (how: Ended["how"]) =>
        Effect.map(TestClock.currentTimeMillis, (at) => {
          ended.push({ place, began, at, units, patience, how })
        })
      const taken = budgets.take(who, units, Duration.millis(patience)).pipe(
        Effect.matchEffect({ onFailure: () => end("refused"), onSuccess: () => end("charged") }),
        Effect.onInterrupt(() => end("interrupted"))
      )
      fibers.push(
        yield* Effect.fork(
          interruptedAfter === undefined ? taken : Effect.ignore(Effect.timeout(taken, interruptedAfter))
        )
      )
    }
    yield* TestClock.adjust("1 hour")
    for (const fiber of fibers) yield* Fiber.await(fiber)
    return ended
  })

describe("a line", () => {
  const inLaws = { fastCheck: { numRuns: 60 } }

  it.effect.prop(
    "keeps nobody longer than its patience, and lets through at most limit + burst in any window",
    [arrivals],
    ([requests]) =>
      Effect.gen(function*() {
        const ended = yield* arrive(yield* make(), tenASecond, requests)
        expect(ended).toHaveLength(requests.length)
        for (const { at, began, patience } of ended) expect(at - began).toBeLessThanOrEqual(patience)
        const charged = ended.filter(({ how }) => how === "charged")
        for (const { at: from } of charged) {
          const inWindow = charged.filter(({ at }) => at >= from && at < from + 1000)
          expect(inWindow.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(20)
        }
      }),
    inLaws
  )

  it.effect.prop(
    "serves those of equal cost and patience in the order in which they came, whoever is interrupted",
    [arrivals],
    ([requests]) =>
      Effect.gen(function*() {
        const alike = requests.map((request) => ({ ...request, units: 3, patience: 2000 }))
        const ended = yield* arrive(yield* make(), tenASecond, alike)
        const charged = ended.filter(({ how }) => how === "charged").map(({ place }) => place)
        expect(charged).toEqual([...charged].sort((one, other) => one - other))
      }),
    inLaws
  )

  it.effect.prop(
    "leaves nothing behind: who comes after all of them is served at once",
    [arrivals],
    ([requests]) =>
      Effect.gen(function*() {
        const budgets = yield* make({ maxQueue: 5 })
        yield* arrive(budgets, tenASecond, requests)
        expect((yield* budgets.take(tenASecond, 5)).waited).toBe(0)
        expect(budgets.tryTake(tenASecond, 5, yield* TestClock.currentTimeMillis)).toBeDefined()
      }),
    inLaws
  )

  it.effect.prop(
    "is the same before a store that takes its time, but for that time",
    [arrivals],
    ([requests]) =>
      Effect.gen(function*() {
        const { atOnce: _, ...store } = yield* RateLimitStore.memory
        const away = Budgets.make(defaults.budgets, {
          ...store,
          take: (...asked) => Effect.delay(store.take(...asked), 20)
        })
        const ended = yield* arrive(away, tenASecond, requests)
        expect(ended).toHaveLength(requests.length)
        for (const { at, began, patience } of ended) expect(at - began).toBeLessThanOrEqual(patience + 20)
        const after = yield* Effect.fork(away.take(tenASecond, 5))
        yield* TestClock.adjust(20)
        expect((yield* Fiber.join(after)).waited).toBe(20)
      }),
    inLaws
  )

  it.effect.prop(
    "refuses at once who cannot be served in time, and serves everybody else",
    [FastCheck.array(FastCheck.integer({ min: 1, max: 5 }), { maxLength: 30 })],
    ([costs]) =>
      Effect.gen(function*() {
        const requests = costs.map((units) => ({ after: 0, units, patience: 2000 }))
        const ended = yield* arrive(yield* make(), tenASecond, requests)
        for (const { at, how } of ended) if (how === "refused") expect(at).toBe(0)
        const units = (how: Ended["how"]) => ended.filter((one) => one.how === how).map(({ units }) => units)
        // The burst, and what comes again in two seconds
        const left = 30 - units("charged").reduce((sum, units) => sum + units, 0)
        for (const wanted of units("refused")) expect(wanted).toBeGreaterThan(left)
      }),
    inLaws
  )

  it.effect("of lists does not hold up single requests: they have their turn when nobody else waits", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      const list = { after: 0, units: 5, patience: 60_000 }
      const single = { after: 0, units: 5, patience: 2000 }
      const ended = yield* arrive(budgets, tenASecond, [
        ...Array.from({ length: 22 }, () => list),
        { ...single, after: 250 },
        single,
        { ...single, after: 600 }
      ])
      const singles = ended.filter(({ patience }) => patience === 2000)
      expect(singles.map(({ at, how }) => [at, how])).toEqual([[500, "charged"], [1000, "charged"], [
        1500,
        "charged"
      ]])
      const lists = ended.filter(({ patience }) => patience === 60_000)
      expect(lists.map(({ how, place }) => [place, how])).toEqual(lists.map((_, place) => [place, "charged"]))
      expect(lists.map(({ at }) => at)).toEqual([
        0,
        0,
        ...lists.slice(2).map((_, index) => 2000 + index * 500)
      ])
    }))

  it.effect("is left by a list at its head for whoever has less patience, and refuses whom its limit never serves in time", () =>
    Effect.gen(function*() {
      const slow = client({ limit: { limit: 1, window: 10_000 } })
      const ended = yield* arrive(yield* make(), slow, [
        { after: 0, units: 1, patience: 0 },
        { after: 0, units: 1, patience: 60_000 },
        { after: 0, units: 1, patience: 2000 },
        { after: 9000, units: 1, patience: 2000 }
      ])
      expect(ended.map(({ at, how, place }) => [place, at, how])).toEqual([
        [0, 0, "charged"],
        [2, 0, "refused"],
        [3, 10_000, "charged"],
        [1, 20_000, "charged"]
      ])
    }))

  it.effect("closes up behind who is interrupted in it", () =>
    Effect.gen(function*() {
      const request = { after: 0, units: 5, patience: 2000 }
      const ended = yield* arrive(yield* make(), tenASecond, [
        request,
        request,
        { ...request, interruptedAfter: 250 },
        { ...request, interruptedAfter: 250 },
        request,
        { ...request, after: 400 }
      ])
      const inOrder = ended.toSorted((one, other) => one.place - other.place)
      expect(inOrder.map(({ at, how, place }) => [place, at, how])).toEqual([
        [0, 0, "charged"],
        [1, 0, "charged"],
        [2, 250, "interrupted"],
        [3, 250, "interrupted"],
        [4, 500, "charged"],
        [5, 1000, "charged"]
      ])
    }))

  it.effect("is bounded, lists or not", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ maxQueue: 3 })
      const ended = yield* arrive(budgets, tenASecond, [
        { after: 0, units: 5, patience: 0 },
        { after: 0, units: 5, patience: 0 },
        ...Array.from({ length: 5 }, () => ({ after: 0, units: 1, patience: 60_000 }))
      ])
      expect(ended.map(({ at, how }) => [at, how])).toEqual([
        [0, "charged"],
        [0, "charged"],
        [0, "refused"],
        [0, "refused"],
        [100, "charged"],
        [200, "charged"],
        [300, "charged"]
      ])
    }))
})

describe("a day", () => {
  const hundredADay = client({ perDay: 100 })

  it.effect("that is used up costs nothing of the rate", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      const both = client({ limit: { limit: 10, window: 1000 }, perDay: 8 })
      yield* budgets.take(both, 5)
      expect(budgets.tryTake(both, 5, yield* TestClock.currentTimeMillis)).toBeUndefined()
      const refused = yield* Effect.flip(budgets.take(both, 5))
      expect(refused.headers["ratelimit"]).toBe("\"rate\";r=5;t=1, \"day\";r=3;t=86400")
      expect((yield* budgets.standing(both)).map(({ left }) => left)).toEqual([5, 3])
      expect(budgets.tryTake(both, 3, 0)?.budgets.map(({ left }) => left)).toEqual([2, 0])
    }))

  it.effect("is waited for where it is about to begin, by all who wait", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 59, 59))
      const budgets = yield* make()
      yield* budgets.take(hundredADay, 100)
      const waiting = yield* Effect.fork(
        Effect.all(Array.from({ length: 3 }, () => budgets.take(hundredADay, 5)), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(waiting)).map(({ waited }) => waited)).toEqual([1000, 1000, 1000])
    }))

  it.effect("is counted exactly, refuses at once what is more, and begins anew at midnight UTC", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 0, 0))
      const budgets = yield* make()
      for (let taken = 0; taken < 100; taken += 4) yield* budgets.take(hundredADay, 4)
      const refused = yield* Effect.flip(budgets.take(hundredADay, 1))
      expect([refused.code, refused.headers]).toEqual(["over-budget", {
        "retry-after": "3600",
        ratelimit: "\"day\";r=0;t=3600",
        "ratelimit-policy": "\"day\";q=100;w=86400"
      }])
      yield* TestClock.adjust("1 hour")
      expect((yield* budgets.take(hundredADay, 1)).budgets).toEqual([
        { name: "day", limit: 100, window: 86400, left: 99, reset: 86400 }
      ])
    }))
})

describe("a shadow", () => {
  it.effect("counts and says, and refuses nobody", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ mode: "shadow" })
      const both = client({ limit: { limit: 10, window: 1000 }, perDay: 12 })
      const charges = yield* Effect.all(Array.from({ length: 4 }, () => budgets.take(both, 5)))
      expect(charges.map(({ shadowed }) => shadowed)).toEqual([false, false, true, true])
      expect((yield* budgets.standing(both)).map(({ left }) => left)).toEqual([0, 2])
    }))

  it.effect("goes on counting the day of whom the rate would have refused", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ mode: "shadow" })
      const both = client({ limit: { limit: 5, window: 1000 }, perDay: 100 })
      yield* Effect.all(Array.from({ length: 4 }, () => budgets.take(both, 5)))
      expect((yield* budgets.standing(both)).map(({ left }) => left)).toEqual([0, 80])
    }))
})

describe("at once", () => {
  it.effect("nothing is taken where somebody would have to wait", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      expect(budgets.tryTake(tenASecond, 10, 0)?.budgets[0]?.left).toBe(0)
      expect(budgets.tryTake(tenASecond, 1, 0)).toBeUndefined()
      expect(budgets.tryTake(tenASecond, 1, 100)?.budgets[0]?.left).toBe(0)
      expect(budgets.tryTake(client({}), 5, 0)).toEqual({ units: 5, budgets: [], waited: 0, shadowed: false })
    }))
})

describe("the standing of a client", () => {
  it.effect("is what the store knows: before it asks, as time goes by, after a reload, and after midnight", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 59, 59))
      const store = yield* RateLimitStore.memory
      const both = client({ limit: { limit: 10, window: 1000 }, perDay: 100 })
      const reloaded = () => Budgets.make(defaults.budgets, store)
      const left = (of: Client) =>
        Effect.map(reloaded().standing(of), (budgets) => budgets.map(({ left, name }) => [name, left]))
      expect(yield* left(both)).toEqual([["rate", 10], ["day", 100]])
      yield* reloaded().take(both, 10)
      expect(yield* left(both)).toEqual([["rate", 0], ["day", 90]])
      yield* TestClock.adjust("500 millis")
      expect(yield* left(both)).toEqual([["rate", 5], ["day", 90]])
      yield* TestClock.adjust("500 millis")
      expect(yield* left(both)).toEqual([["rate", 10], ["day", 100]])
      expect(yield* left(client({}))).toEqual([])
    }))
})

describe("as clients meet it", () => {
  it.scopedLive("every answer says what is left; a refusal says when to come back; others are not touched", () =>
    Effect.gen(function*() {
      const limited = { limit: { limit: 6, window: 3_600_000 }, perDay: 1000 }
      const { lines, port, sandbox } = yield* start({
        config: {
          ...configured(),
          cache: defaults.cache,
          clients: [configOf("small", "s", limited), configOf("large", "l")]
        }
      })
      const price = questions["tokenPrice"]?.path ?? ""
      const as = (token: string) => ask(port, price, { headers: { "x-api-key": token } })
      const answers = [yield* as("s"), yield* as("s"), yield* as("s"), yield* as("l")]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200])
      expect(answers.map(({ headers }) => headers["ratelimit"])).toEqual([
        expect.stringMatching(/^"rate";r=3;t=3600, "day";r=997;t=\d+$/),
        expect.stringMatching(/^"rate";r=0;t=3600, "day";r=994;t=\d+$/),
        expect.stringMatching(/^"rate";r=0;t=\d+, "day";r=994;t=\d+$/),
        undefined
      ])
      expect(Number(answers[2]?.headers["retry-after"])).toBeGreaterThan(1500)
      // What was kept cost the client, and nobody else
      expect(yield* sandbox.requests).toHaveLength(1)
      expect(
        lines.map((line) => JSON.parse(line)).map(({ charged, client, cost }) => [client, charged, cost])
      )
        .toEqual([["small", 3, 3], ["small", 3, 0], ["small", 0, 0], ["large", 3, 0]])
    }))
})
