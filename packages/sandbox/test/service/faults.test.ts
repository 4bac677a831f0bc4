import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Sandbox from "../../src/Sandbox.ts"
import { dataUrl, decodePage, examples, makeSandbox, send } from "./support.ts"

const { busyToken, wallet } = examples
const chains = dataUrl(`/wallets/${wallet}/chains`)
const list = dataUrl(`/erc20/${busyToken}/transfers`, { limit: 3 })
const withFault = (fault: string) => ({ headers: { [Sandbox.faultHeader]: fault } })

describe("faults of a request", () => {
  it.effect("apply before or after the operation", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const setTo = (status: string, fault: string) =>
        Effect.zipRight(
          send(sandbox, `/streams/evm/${examples.stream}/status`, {
            method: "POST",
            body: JSON.stringify({ status }),
            ...withFault(fault)
          }),
          Effect.map(sandbox.streams, (streams) => streams.get(examples.stream)?.["status"])
        )
      expect(yield* setTo("error", "status=503")).toBe("active")
      expect(yield* setTo("error", "reset")).toBe("error")
    }))

  it.effect("change pages without affecting later pages", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const first = decodePage(yield* send(sandbox, list))
      const cursor = first.cursor ?? ""
      const second = decodePage(yield* send(sandbox, `${list}&cursor=${cursor}`))
      const repeated = decodePage(
        yield* send(sandbox, `${list}&cursor=${cursor}`, withFault("repeat-cursor"))
      )
      expect(repeated).toEqual({ ...second, cursor })
      const empty = decodePage(yield* send(sandbox, `${list}&cursor=${cursor}`, withFault("empty-page")))
      expect(empty.result).toEqual([])
      expect(empty.cursor).not.toBe(cursor)
      expect(decodePage(yield* send(sandbox, `${list}&cursor=${empty.cursor}`)).result).toEqual(second.result)
      const start = decodePage(yield* send(sandbox, list, withFault("empty-page")))
      expect(decodePage(yield* send(sandbox, `${list}&cursor=${start.cursor}`)).result).toEqual(first.result)
    }))

  it.effect("delay according to the Clock", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const late = yield* Effect.fork(send(sandbox, chains, withFault("delay=200")))
      const never = yield* Effect.fork(send(sandbox, chains, withFault("hang")))
      yield* TestClock.adjust("199 millis")
      expect(yield* Fiber.poll(late)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(late)).toMatchObject({ status: 200 })
      yield* TestClock.adjust("1 hour")
      expect(yield* Fiber.poll(never)).toMatchObject({ _tag: "None" })
      yield* Fiber.interrupt(never)
    }))
})

describe("fault rules", () => {
  const statuses = (sandbox: Sandbox.SandboxService, url: string, times: number) =>
    Effect.map(
      Effect.all(Array.from({ length: times }, () => send(sandbox, url))),
      (all) => all.map(({ status }) => status)
    )

  it.effect("apply to matching requests", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({
        faults: [
          { operation: "walletChains", every: 3, fault: { status: 500 } },
          { path: "/erc20/", skip: 1, count: 2, fault: { status: 429, "retry-after": "1" } }
        ]
      })
      expect(yield* statuses(sandbox, chains, 7)).toEqual([200, 200, 500, 200, 200, 500, 200])
      expect(yield* statuses(sandbox, list, 5)).toEqual([200, 429, 429, 200, 200])
    }))

  it.effect("apply after queued faults, which apply to one request each", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ faults: [{ fault: { status: 500 } }] })
      yield* sandbox.queueFaults({ status: 503 }, {})
      expect(yield* statuses(sandbox, chains, 3)).toEqual([503, 200, 500])
    }))
})
