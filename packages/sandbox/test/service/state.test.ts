/** Faults, indexing, new blocks, and the in-process client. */
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Sandbox from "../../src/Sandbox.ts"
import { Fault, parseFault } from "../../src/service/Fault.ts"
import { dataUrl, decodePage, eth, examples, ledger, makeSandbox, send } from "./support.ts"

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
      yield* TestClock.adjust("199 millis")
      expect(yield* Fiber.poll(late)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(late)).toMatchObject({ status: 200 })
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

it("a fault is parsed from its directives if its strings have no semicolons and outer spaces", () => {
  FastCheck.assert(FastCheck.property(Arbitrary.make(Fault), (fault) => {
    const texts = [fault.redirect, fault["retry-after"]].filter((value) => value !== undefined)
    FastCheck.pre(texts.every((value) => value === value.trim() && !value.includes(";")))
    const directives = Object.entries(fault).map(([name, value]) =>
      name === "kind" ? String(value) : `${name}=${value}`
    )
    expect(Option.getOrThrow(parseFault(directives.join("; ")))).toEqual(fault)
  }))
})

describe("indexing", () => {
  const { unindexedCollection } = examples
  const path = `/nft/${unindexedCollection}`

  it.effect("completes after a duration", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ syncAfter: { duration: "30 seconds" } })
      const id = eth.nfts(unindexedCollection)[0]!.tokenId
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({ status: 404 })
      yield* TestClock.adjust("29 seconds")
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({ status: 200, text: "null" })
      expect(decodePage(yield* send(sandbox, dataUrl(`${path}/${id}/owners`))).status).toBe("SYNCING")
      yield* TestClock.adjust("1 second")
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({
        document: { token_id: String(id) }
      })
    }))
})

describe("block time", () => {
  it.effect("adds a block to every chain each time it passes", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ blockTime: "2 seconds" })
      const heads = Effect.map(sandbox.chains, (chains) => Array.from(chains.values(), ({ head }) => head))
      const before = yield* heads
      yield* TestClock.adjust("1999 millis")
      expect(yield* heads).toEqual(before)
      yield* TestClock.adjust("1 millis")
      expect(yield* heads).toEqual(before.map((head) => head + 1))
      yield* TestClock.adjust("9 seconds")
      expect(yield* heads).toEqual(before.map((head) => head + 5))
    }))
})

const url = `${Sandbox.baseUrls.data}${chains}`

const get = (fault?: string) =>
  HttpClient.get(url, {
    headers: { "x-api-key": Sandbox.apiKey, ...(fault === undefined ? {} : { [Sandbox.faultHeader]: fault }) }
  })

const layer = Sandbox.layer({ ledger })

describe("the in-process client", () => {
  it.effect("returns responses and records requests", () =>
    Effect.gen(function*() {
      const response = yield* get()
      expect(response.status).toBe(200)
      expect(response.headers["content-type"]).toContain("application/json")
      expect(yield* response.json).toMatchObject({ address: examples.wallet })
      const sandbox = yield* Sandbox.Sandbox
      expect(yield* sandbox.recordedRequests).toMatchObject([
        { method: "GET", operation: "walletChains", headers: { "x-api-key": Sandbox.apiKey } }
      ])
      yield* sandbox.clearRecordedRequests
      expect(yield* sandbox.recordedRequests).toEqual([])
    }).pipe(Effect.provide(layer)))

  it.effect("fails with the errors of a real client", () =>
    Effect.gen(function*() {
      const reset = yield* Effect.flip(get("reset"))
      expect(reset).toMatchObject({ _tag: "RequestError", reason: "Transport" })
      const response = yield* get("truncate")
      expect(response.status).toBe(200)
      expect(yield* Effect.flip(response.text)).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
      expect((yield* get("status=204")).status).toBe(204)
      expect((yield* get("redirect=http://other.invalid/")).headers["location"]).toBe("http://other.invalid/")
    }).pipe(Effect.provide(layer)))

  it.effect("hangs before the response and in the middle of a body, until it is interrupted", () =>
    Effect.gen(function*() {
      const stalled = (yield* get("stall")).text
      for (const waiting of [Effect.asVoid(get("hang")), Effect.asVoid(stalled)]) {
        const fiber = yield* Effect.fork(Effect.timeout(waiting, "1 minute"))
        yield* TestClock.adjust("1 minute")
        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
      }
    }).pipe(Effect.provide(layer)))

  it.effect("records at most maxRecordedRequests requests", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger, maxRecordedRequests: 3 })
      for (let index = 0; index < 10; index++) {
        yield* sandbox.handle({ method: "GET", url: `/${index}`, headers: {}, body: "" })
      }
      expect((yield* sandbox.recordedRequests).map(({ path }) => path)).toEqual(["/7", "/8", "/9"])
    }))
})
