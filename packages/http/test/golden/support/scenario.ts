/** Timelines of scenarios: the requests and outcomes of calls over virtual time, by a policy and a script of replies. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Random from "effect/Random"
import * as Rec from "effect/Record"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { errorRecord, record } from "../../../../core/test/golden/support/record.ts"
import { addressOf, fetchPrice, minimalOptions } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { keysOf, labelOf } from "../../support/TestEngine.ts"
import { runPendingWork } from "../../support/TestTime.ts"

interface CallError {
  readonly _tag: string
  readonly message: string
}

/** Starts or interrupts a call at a time. */
export interface Step {
  readonly at: number
  readonly call: string
  /** If absent, interrupts the call with this name. */
  readonly run?: ((clients: TestClients.Clients) => Effect.Effect<unknown, CallError>) | undefined
  /** The name of the clients that make the call. Default: the first. */
  readonly via?: string
  /** The client of a gateway that the call is made for. */
  readonly by?: CallContext.CallClient
  readonly options?: CallOptions.CallOptions
  /** Whether the timeline ends with the usage of the call. */
  readonly usage?: boolean
}

interface Timeline {
  readonly script: ScriptedClient.Script
  readonly clients: Readonly<Record<string, TestClients.HarnessOptions>>
  readonly actions: ReadonlyArray<Step>
  /** How long the clock runs, at least. */
  readonly until?: number
}

/** Runs all fibers as far as they get without waiting. */
const runFibers = Effect.repeatN(runPendingWork, 8)

/** Returns the time of the next timer. */
const nextTimer = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const times = [...yield* TestClock.sleeps()].filter((time) => time > now)
  return Math.min(...times)
})

/** Advances the clock from timer to timer, up to and including `end`. */
const advanceTo = (end: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* runFibers
    for (;;) {
      const next = yield* nextTimer
      if (next >= end) break
      yield* TestClock.setTime(next)
      yield* runFibers
    }
    yield* TestClock.setTime(end)
    yield* runFibers
  })

const describeReply = (reply: ScriptedClient.ScriptedReply | undefined): string => {
  if (reply === undefined) return "none"
  const after = "after" in reply && reply.after !== undefined
    ? ` after ${Duration.toMillis(reply.after)} ms`
    : ""
  switch (reply._tag) {
    case "Hang":
      return "none"
    case "Defect":
      return `defect${after}`
    case "Disconnect":
      return `${reply.code}${after}`
    case "Respond": {
      const retryAfter = reply.headers["retry-after"]
      return `${reply.status}${retryAfter === undefined ? "" : ` retry-after: ${retryAfter}`}${after}`
    }
  }
}

const outcome = (exit: Exit.Exit<unknown, CallError>): unknown =>
  Exit.match(exit, {
    onSuccess: (value) => ({ success: value }),
    onFailure: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? { interrupted: true }
        : cause._tag === "Fail"
        ? { failure: errorRecord(cause.error) }
        : { defect: true }
  })

/** Jitter of 50%, 25%, 90%, and so on. */
const jitter = () => Random.fixed([0.5, 0.25, 0.9])

/** Runs a scenario from 1970 on, and returns its events. */
export const timeline = (
  { actions, clients: options, script, until = 0 }: Timeline
): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    let number = 0
    const replyTo = (request: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
      number += 1
      const reply = typeof script === "function" ? script(request, number) : script[number - 1]
      lines.push({
        at: request.at,
        sent: `${request.method} ${request.url.host}${request.url.pathname.replace(/0x0{20,}/, "0x…")}`,
        key: labelOf(request),
        reply: describeReply(reply)
      })
      if (reply === undefined) throw new Error(`request ${number} is not in the script`)
      return reply
    }
    const { clients } = yield* TestClients.sharedEngine(replyTo, options)
    const [first = "none"] = Object.keys(clients)
    const fibers = new Map<string, Fiber.RuntimeFiber<unknown>>()
    const usages = new Map<string, { total: CallUsage.CallUsage }>()
    for (
      const { at, by = CallContext.noClient, call, options = {}, run, usage = false, via = first } of actions
    ) {
      yield* advanceTo(at)
      const fiber = fibers.get(call)
      if (run === undefined) {
        if (fiber !== undefined) yield* Fiber.interruptFork(fiber)
        continue
      }
      lines.push({ at, call, event: "start" })
      const used = { total: CallUsage.none }
      const observed = CallUsage.observeUsage((increment) => {
        used.total = CallUsage.add(used.total, increment)
      })
      const members = clients[via]
      if (members === undefined) throw new Error(`no clients ${via}`)
      const recorded = Effect.onExit(
        run(members).pipe(
          CallOptions.withCallOptions(options),
          Effect.provideService(CallContext.CurrentClient, by),
          usage ? observed : identity
        ),
        (exit) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            lines.push({ at: now, call, ...Object(outcome(exit)) })
          })
      )
      if (usage) usages.set(call, used)
      fibers.set(call, yield* Effect.fork(Effect.ignore(recorded)))
      yield* runFibers
    }
    for (;;) {
      yield* runFibers
      const polled = yield* Effect.forEach(fibers.values(), Fiber.poll)
      if (polled.every(({ _tag }) => _tag === "Some")) break
      const next = yield* nextTimer
      if (!Number.isFinite(next)) {
        lines.push({ at: yield* Clock.currentTimeMillis, event: "calls never end" })
        break
      }
      yield* TestClock.setTime(next)
    }
    yield* advanceTo(Math.max(until, yield* Clock.currentTimeMillis))
    // In the end, because calls are also charged in the background.
    for (const [call, { total }] of usages) lines.push({ call, used: total })
    return lines
  }).pipe((events) => Effect.suspend(() => Effect.withRandom(events, jitter())))

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
