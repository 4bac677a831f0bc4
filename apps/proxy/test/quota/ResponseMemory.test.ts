/** The memory for response bodies, over any sequence of requests. The record `overload` has its errors, `isolation` clients that do not read. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { defaults } from "../../src/config/Config.ts"
import { ResponseHold } from "../../src/exchange/RequestContext.ts"
import * as ClientLimits from "../../src/quota/ClientLimits.ts"
import { testClient } from "../support/proxy.ts"

/** With clients, each has its share of the memory. */
const clients = [testClient("one", "token")]

describe("the memory of requests", () => {
  it.prop(
    "never exceeds the limit, leaves some for a client that has none, and is free when all requests are complete",
    [
      fc.array(
        fc.record({
          client: fc.constantFrom("a", "b", "c"),
          request: fc.nat(3),
          action: fc.oneof(
            fc.record({ hold: fc.nat(400) }),
            fc.constant("complete" as const)
          )
        }),
        { maxLength: 60 }
      )
    ],
    ([steps]) => {
      const limits = { ...defaults.limits, maxBufferedBytes: 1000 }
      const responseMemory = ClientLimits.make()
      const requests = new Map<string, ResponseHold>()
      for (const { action, client, request } of steps) {
        const key = `${client} ${request}`
        const hold = requests.get(key) ?? new ResponseHold()
        requests.set(key, hold)
        const memory = responseMemory.memoryOf(client, { clients, limits })
        if (action === "complete") {
          hold.complete()
          requests.delete(key)
          const used = responseMemory.bufferedBytes()
          hold.holdBody(memory, 10)
          expect(responseMemory.bufferedBytes(), "a body after the client has disconnected").toBe(used)
          continue
        }
        const holdsNothing = [...requests].every(([name, { bodyBytes }]) =>
          !name.startsWith(client) || bodyBytes === 0
        )
        const free = 1000 - responseMemory.bufferedBytes()
        const held = hold.holdBody(memory, action.hold)
        if (holdsNothing) expect(held).toBe(action.hold <= free)
        expect(responseMemory.bufferedBytes()).toBeLessThanOrEqual(1000)
        expect(responseMemory.bufferedBytes()).toBe(
          [...requests.values()].reduce((sum, { bodyBytes = 0 }) => sum + bodyBytes, 0)
        )
      }
      for (const hold of requests.values()) hold.complete()
      expect(responseMemory.bufferedBytes()).toBe(0)
    }
  )
})
