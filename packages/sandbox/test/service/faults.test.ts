import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Sandbox from "../../src/Sandbox.ts"
import { directives, FaultText } from "../../src/service/Fault.ts"
import { dataUrl, decodePage, examples, makeSandbox, send } from "./support.ts"

const { busyToken, wallet } = examples
const chains = dataUrl(`/wallets/${wallet}/chains`)
const list = dataUrl(`/erc20/${busyToken}/transfers`, { limit: 3 })
const withFault = (fault: string) => ({ headers: { [Sandbox.faultHeader]: fault } })

describe("FaultText", () => {
  it("decodes and encodes directives", () => {
    for (
      const text of [
        "",
        "status=503;retry-after=2",
        "delay=200;reset-body",
        "redirect=http://o.invalid/x?a=b"
      ]
    ) {
      expect(Schema.encodeSync(FaultText)(Schema.decodeSync(FaultText)(text))).toBe(text)
    }
    const invalid = [
      "explode",
      "status",
      "status=abc",
      "status=99",
      "delay=-1",
      "reset;html",
      "status=500;status=501"
    ]
    for (const text of invalid) expect(Either.isLeft(Schema.decodeEither(FaultText)(text))).toBe(true)
  })

  it.effect("rejects unknown directives with the list of supported ones", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const response = yield* send(sandbox, chains, withFault("explode"))
      expect(response.status).toBe(400)
      for (const directive of directives) expect(response.text).toContain(directive)
    }))
})

describe("faults of a request", () => {
  it.effect("replace the status", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      expect(yield* send(sandbox, chains, withFault("status=503; retry-after=2"))).toMatchObject({
        status: 503,
        headers: { "retry-after": "2" },
        document: { message: expect.any(String) }
      })
      expect(yield* send(sandbox, chains, withFault("redirect=http://other.invalid/"))).toMatchObject({
        status: 302,
        headers: { location: "http://other.invalid/" }
      })
      const stream = `/streams/evm/${examples.stream}/status`
      yield* send(sandbox, stream, { method: "POST", body: `{"status":"error"}`, ...withFault("status=503") })
      expect((yield* sandbox.streams).get(examples.stream)?.["status"]).toBe("active")
      yield* send(sandbox, stream, { method: "POST", body: `{"status":"error"}`, ...withFault("reset") })
      expect((yield* sandbox.streams).get(examples.stream)?.["status"]).toBe("error")
    }))

  it.effect("change the body", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const { text } = yield* send(sandbox, chains)
      const body = (fault: string) =>
        Effect.map(send(sandbox, chains, withFault(fault)), (response) => response.text)
      expect(yield* body("bad-json")).toBe(text.slice(0, text.length / 2))
      expect(yield* body("html")).toMatch(/^<!doctype html>/)
      expect(yield* body("empty")).toBe("")
      expect(yield* body("null")).toBe("null")
      expect(yield* body("bom")).toBe(`\ufeff${text}`)
      const zipped = yield* sandbox.handle({
        method: "GET",
        url: chains,
        headers: { "x-api-key": Sandbox.apiKey, [Sandbox.faultHeader]: "gzip-truncated" },
        body: ""
      })
      expect(zipped).toMatchObject({
        headers: { "content-encoding": "gzip" },
        body: text,
        transmission: "gzip-truncated"
      })
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
