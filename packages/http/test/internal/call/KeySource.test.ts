/** API keys that an effect reads. The timelines show when it is read, and which key each request has. */
import type { OptionalKeyApiOptions } from "@blockquarry/http/ApiOptions"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import type * as Http from "node:http"
import { until } from "../../faults/support/Wait.ts"
import { fetchPrice, indices, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import { errorOf } from "../../support/Programs.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as Server from "../../support/Server.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineOver, labelOf, secretOf } from "../../support/TestEngine.ts"
import { fewRuns, whileTimePasses } from "../../support/TestTime.ts"

/** A secret store, whose keys are valid until they are revoked. Reads take no time unless `delay` is set. */
const secretStore = () => {
  const events: Array<string> = []
  const store = {
    events,
    key: "a",
    revoked: new Set<string>(),
    reads: 0,
    delay: 0,
    read: Effect.suspend((): Effect.Effect<Redacted.Redacted> => {
      store.reads += 1
      return Effect.map(store.delay === 0 ? Effect.void : Effect.sleep(store.delay), () => {
        events.push(`read ${store.key}`)
        return Redacted.make(secretOf(store.key))
      })
    }),
    /** Responds to a request with a valid key. */
    script: (request: ScriptedClient.RecordedRequest, reply = priceReply): ScriptedClient.ScriptedReply => {
      events.push(`sent ${labelOf(request)}`)
      return store.revoked.has(labelOf(request)) ? ScriptedClient.respond(401) : reply
    },
    replace: (key: string) => {
      store.revoked.add(store.key)
      store.key = key
    }
  }
  return store
}

describe("an API key that an effect reads", () => {
  it.effect("stays in use if it cannot be read, with a warning that shows no secret", () =>
    Effect.gen(function*() {
      const recorder = TelemetryRecorder.make()
      const store = secretStore()
      let fails = false
      const apiKey = Effect.suspend(() => fails ? Effect.die(new RangeError(secretOf("b"))) : store.read)
      const clients = yield* recorder.record(
        TestClients.harness((request) => store.script(request), { ...minimalOptions, apiKey })
      )
      fails = true
      store.events.length = 0
      yield* TestClock.adjust("5 minutes")
      yield* Effect.zipRight(fetchPrice(clients, 1), fetchPrice(clients, 2))
      expect(store.events).toEqual(["sent a", "sent a"])
      const warnings = recorder.logs.filter(({ text }) => text.includes("stays in use"))
      expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining("RangeError")])
      for (const { text } of recorder.logs) expect(text).not.toContain(secretOf("b"))
    }))

  it.effect("fails the layer if there is none, with an error that names the setting", () =>
    Effect.gen(function*() {
      const layer = (apiKey: NonNullable<OptionalKeyApiOptions["apiKey"]>) =>
        // @ts-expect-error -- a key may be missing
        Blockquarry.layer({ apiKey, baseUrls: { data: "https://host.test", ledger: "https://host.test" } })
      const errors = yield* Effect.forEach([
        Config.redacted("MY_KEY"),
        Effect.die(new Error(secretOf("a"))),
        Effect.succeed(Redacted.make("")),
        Effect.succeed([]),
        Effect.never
      ], (apiKey) => whileTimePasses(errorOf(layer(apiKey)), "10 seconds"))
      expect(errors).toEqual([
        expect.stringContaining("Missing data at MY_KEY"),
        expect.stringMatching(/unavailable at apiKey.*failed with Error/),
        expect.stringMatching(/apiKey.*empty string/),
        expect.stringMatching(/apiKey.*at least one/),
        expect.stringMatching(/apiKey.*10 s/)
      ])
      expect(errors.join()).not.toContain(secretOf("a"))
    }))

  it.scoped("is not sent with a request that waits for a connection once it was replaced", () =>
    Effect.gen(function*() {
      const held: Array<Http.ServerResponse> = []
      const server = yield* Server.make((response) => void held.push(response))
      const store = secretStore()
      const { send } = yield* engineOver(yield* HttpClient.HttpClient, {
        ...minimalOptions,
        apiKey: store.read,
        baseUrl: server.url
      })
      const contexts = indices(2).map(() => CallContext.make())
      const calls = yield* Effect.forEach(contexts, (context, index) => Effect.fork(send(index, context)))
      const areSent = () => contexts.every(({ reservation }) => reservation.sent === 1)
      yield* until("both requests", () => areSent() && held.length === 1)
      store.reads = 0
      store.replace("b")
      yield* TestClock.adjust("5 minutes")
      const after = yield* Effect.fork(send(3))
      yield* until("the new key", () => store.reads === 1)
      for (const number of indices(3)) {
        yield* until("the request", () => held.length > number)
        held[number]?.end(`{"usdPrice":1.5}`)
      }
      yield* Fiber.joinAll([...calls, after])
      expect(server.received.map(({ headers }) => headers["x-api-key"])).toEqual(
        ["a", "b", "b"].map(secretOf)
      )
    }).pipe(Effect.provide(UndiciTransport.layerWithOptions({ connections: 1 }))))

  it.effect.prop(
    "is never sent after its replacement was read, and no call fails, also of calls that wait",
    {
      /** Times of replacements, and whether the replaced key is revoked. Each replacement has several calls at its time. */
      replacements: FastCheck.array(
        FastCheck.tuple(FastCheck.constantFrom(0, 60, 61, 62), FastCheck.boolean()),
        {
          minLength: 1,
          maxLength: 3
        }
      ),
      delay: FastCheck.constantFrom(0, 700, 3000),
      failures: FastCheck.nat(4),
      limit: FastCheck.constantFrom(3, 9, 300),
      slots: FastCheck.constantFrom(1, 2, 64)
    },
    ({ delay, failures, limit, replacements, slots }) =>
      Effect.gen(function*() {
        const store = secretStore()
        store.delay = delay
        const script = (request: ScriptedClient.RecordedRequest, number: number) =>
          ScriptedClient.delayed(
            number % 3 * 400,
            store.script(
              request,
              number % 9 < failures
                ? ScriptedClient.respond(number % 2 === 0 ? 503 : 429, "", { "retry-after": "2" })
                : priceReply
            )
          )
        const building = TestClients.harness(script, {
          apiKey: store.read,
          apiKeyTtl: "1 minute",
          cache: ResponseCache.standard,
          rateLimit: { limit, window: "1 second", maxWait: "1 hour" },
          concurrency: { limit: slots },
          breaker: minimalOptions.breaker,
          retry: { attempts: 40, budget: { capacity: 10_000 } },
          timeouts: { call: "2 hours" }
        })
        const clients = yield* whileTimePasses(building, "12 seconds")
        const rotations = replacements.toSorted(([a], [b]) => a - b).map(([at, revokes], index) =>
          Effect.delay(
            Effect.sync(() => {
              if (revokes) store.revoked.add(store.key)
              store.key = `key-${index}`
            }),
            at * 1000
          )
        )
        const calls = [0, 0, 0, 1, 2, 3, 4, 4].flatMap((number) =>
          [1, ...replacements.map(([at]) => at)].map((at) =>
            Effect.delay(fetchPrice(clients, number), at * 1000)
          )
        )
        yield* whileTimePasses(
          Effect.all([...rotations, ...calls], { concurrency: "unbounded", discard: true }),
          "3 hours"
        )
        const replaced = new Set<string>()
        let current = "a"
        for (const event of store.events) {
          const [what, key = ""] = event.split(" ")
          if (what === "sent") expect(replaced).not.toContain(key)
          else if (key !== current) {
            replaced.add(current)
            current = key
          }
        }
      }),
    fewRuns
  )
})
