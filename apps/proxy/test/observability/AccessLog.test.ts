/** Lines of the access log. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"
import * as AccessLog from "../../src/observability/AccessLog.ts"

const count = FastCheck.nat()
const text = FastCheck.oneof(
  FastCheck.string({ unit: "binary" }),
  FastCheck.constantFrom("/a/:b", "x\"\\\n\u2028")
)

const entry: FastCheck.Arbitrary<AccessLogEntry> = FastCheck.record({
  startedAt: FastCheck.integer({ min: 0, max: 4e12 }),
  requestId: text,
  client: FastCheck.option(text),
  method: text,
  route: text,
  operation: FastCheck.option(text),
  status: count,
  code: FastCheck.constantFrom(null, "not-cached" as const),
  detail: FastCheck.option(text, { nil: undefined }),
  cache: FastCheck.constantFrom(null, "hit" as const, "miss" as const),
  attempts: count,
  upstreamCost: count,
  savedCost: count,
  chargedCost: count,
  shadowed: FastCheck.boolean(),
  durationMs: FastCheck.double({ min: 0, max: 1e6, noNaN: true }),
  waitMs: FastCheck.double({ min: 0, max: 1e6, noNaN: true }),
  bytes: count
})

describe("a line in JSON", () => {
  it.prop(
    "contains every field of the entry, escaped",
    [FastCheck.array(entry, { minLength: 1 })],
    ([entries]) => {
      for (const { startedAt, requestId, ...fields } of entries) {
        const time = new Date(startedAt).toISOString()
        expect(AccessLog.accessLogLine({ startedAt, requestId, ...fields }, "json")).toBe(
          JSON.stringify({ time, level: "info", message: "request", requestId, ...fields })
        )
      }
    }
  )
})
