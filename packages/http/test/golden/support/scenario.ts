/** Timelines of scenarios: a policy, a script of replies, and calls at times. */
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rec from "effect/Record"
import * as TestContext from "effect/TestContext"
import { record } from "../../../../core/test/golden/support/record.ts"
import { addressOf, fetchPrice, minimalOptions } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import type * as TestClients from "../../support/TestClients.ts"
import { keysOf } from "../../support/TestEngine.ts"
import { type Action, timeline } from "./timeline.ts"

export type Step = Action

/** The default retry policy and timeouts. */
export const retry = { retry: RetryPolicy.standard, timeouts: Timeouts.standard }

/** A call for the price of token `number`. */
export const price = (moment: number, number: number, more: Partial<Step> = {}): Step => ({
  at: moment,
  call: `price ${number}`,
  run: (clients) => Effect.map(fetchPrice(clients, number), ({ usdPrice }) => usdPrice),
  ...more
})

/** Creates calls at times, for different tokens. */
export const at = (...moments: ReadonlyArray<number>): ReadonlyArray<Step> =>
  moments.map((moment, index) => price(moment, index + 1))

/** Creates calls at times, for the same token. */
export const same = (...moments: ReadonlyArray<number>): ReadonlyArray<Step> =>
  moments.map((moment, index) => price(moment, 1, { call: `same ${index + 1}` }))

export const once = at(0)

/** Interrupts a call. */
export const interrupt = (moment: number, call: string): Step => ({ at: moment, call })

export const update = (moment: number, call = "update"): Step => ({
  at: moment,
  call,
  run: ({ streams }) =>
    Effect.map(streams.updateStreamStatus({ id: "stream-1", status: "paused" }), ({ status }) => status)
})

export const metadata = (moment: number, call: string): Step => ({
  at: moment,
  call,
  run: ({ data }) =>
    Effect.map(data.nftMetadata({ address: addressOf(1), token_id: "9" }), ({ token_id }) => token_id)
})

export const ok = (usdPrice = 1.5): ScriptedClient.ScriptedReply => ScriptedClient.json({ usdPrice })

export const updated: ScriptedClient.ScriptedReply = ScriptedClient.json({ id: "stream-1", status: "paused" })

export const failed = (status: number, retryAfter?: string, body = ""): ScriptedClient.ScriptedReply =>
  ScriptedClient.respond(status, body, retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** A body above the size limit of all scenarios. */
export const tooLarge: ScriptedClient.ScriptedReply = ScriptedClient.respond(200, "7".repeat(2000))

/** Replies to request n with price n. */
export const counting = (
  _: ScriptedClient.RecordedRequest,
  number: number
): ScriptedClient.ScriptedReply => ok(number)

/** Replies to request n with price n, after a second. */
export const slow = (
  _: ScriptedClient.RecordedRequest,
  number: number
): ScriptedClient.ScriptedReply => ScriptedClient.delayed("1 second", ok(number))

/** Replies to request n with reply n, and to further ones with prices. */
export const inTurn =
  (...replies: ReadonlyArray<ScriptedClient.ScriptedReply>): ScriptedClient.Script => (_, number) =>
    replies[number - 1] ?? ok(number)

type Scenario = Effect.Effect<ReadonlyArray<unknown>>

/** The calls of several clients that share an engine: each has an API key `A` and its policies. */
export const shared = (
  clients: Readonly<Record<string, TestClients.HarnessOptions>>,
  script: ScriptedClient.Script,
  actions: ReadonlyArray<Step>,
  until = 0
): Scenario =>
  timeline({
    clients: Rec.map(clients, (policies) => ({
      ...minimalOptions,
      maxBodySize: 1000,
      apiKey: keysOf("A"),
      ...policies
    })),
    script,
    actions,
    until
  })

export const scenario = (
  policies: TestClients.HarnessOptions,
  script: ScriptedClient.Script,
  actions: ReadonlyArray<Step>,
  until = 0
): Scenario => shared({ only: policies }, script, actions, until)

/** Clients with a policy: another API key at the same base URL, and the same API key at another one. */
export const everywhere = (policies: TestClients.HarnessOptions) => ({
  here: { ...policies, baseUrl: "https://here.test" },
  otherKey: { ...policies, baseUrl: "https://here.test", apiKey: keysOf("B") },
  there: { ...policies, baseUrl: "https://there.test" }
})

/** Compares the timelines of scenarios with a golden record. */
export const recorded = (name: string, scenarios: Readonly<Record<string, Scenario>>): void =>
  it.effect(name, () =>
    Effect.gen(function*() {
      // Each scenario has its own clock.
      const lines = yield* Effect.all(
        Rec.map(scenarios, (timeline) => Effect.provide(timeline, TestContext.TestContext))
      )
      yield* Effect.promise(() => record(name, lines))
    }))
