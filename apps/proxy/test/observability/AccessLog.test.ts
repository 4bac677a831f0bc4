/** Lines of the access log. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as AccessLog from "../../src/observability/AccessLog.ts"
import * as LoggedPath from "../../src/observability/LoggedPath.ts"
import { accessLogEntry } from "../support/accessLogEntries.ts"
import { sendRequest, start } from "../support/proxy.ts"

const text = FastCheck.oneof(
  FastCheck.string({ unit: "binary" }),
  FastCheck.constantFrom("/a/:b", "x\"\\\n\u2028")
)

const texts = FastCheck.record({
  requestId: text,
  client: FastCheck.option(text),
  clientAddress: text,
  method: text,
  route: text,
  path: FastCheck.option(text, { nil: undefined }),
  operation: FastCheck.option(text),
  detail: FastCheck.option(text, { nil: undefined }),
  durationMs: FastCheck.double({ min: 0, max: 1e6, noNaN: true })
})

it.prop("a line in JSON contains every field of the entry, escaped", [texts], ([texts]) => {
  const { startedAt, ...fields } = accessLogEntry(texts)
  const time = new Date(startedAt).toISOString()
  expect(JSON.parse(AccessLog.accessLogLine({ startedAt, ...fields }, "json")))
    .toEqual(JSON.parse(JSON.stringify({ time, level: "info", message: "request", ...fields })))
})

it.live("a line of a request has the id of the trace, of the client or of the proxy", () =>
  Effect.gen(function*() {
    const trace = "0af7651916cd43dd8448eb211c80319c"
    /** The proxy has stopped: it has written all lines. */
    const traceIdOf = (headers: Record<string, string>, tracingEnabled = false) =>
      start({ tracingEnabled }).pipe(
        Effect.flatMap(({ lines, port }) => Effect.as(sendRequest(port, "/", { headers }), lines)),
        Effect.scoped,
        Effect.map((lines): unknown => JSON.parse(lines.at(-1) ?? "").traceId)
      )
    const traceparent = `00-${trace}-b7ad6b7169203331-01`
    expect(yield* traceIdOf({ traceparent })).toBe(trace)
    expect(yield* traceIdOf({ traceparent }, true)).toBe(trace)
    expect(yield* traceIdOf({}, true)).toMatch(/^[0-9a-f]{32}$/)
    expect(yield* traceIdOf({ traceparent: "00-x" })).toBeUndefined()
  }))

describe("the path of an unknown route", () => {
  const secret = FastCheck.stringMatching(/^[A-Za-z0-9_-]{16,200}$/).filter((text) => /[A-Z0-9]/.test(text))

  it.prop("contains no secret, query or control character, and is bounded", [
    FastCheck.string({ unit: "binary", maxLength: 2000 }),
    secret,
    FastCheck.string({ unit: "binary" })
  ], ([before, secret, query]) => {
    const path =
      LoggedPath.loggedPath(`/${before.replaceAll(/[?#]/g, "")}/${secret}/x?q=${secret}${query}`) ?? ""
    expect(path).not.toContain(secret)
    expect(path).toMatch(/^[!->@-~…]{0,257}$/)
  })

  it("keeps words, and hides what may be a value", () => {
    expect(LoggedPath.loggedPath("/api/v2.3/top-profitable-wallets/price")).toBe(
      "/api/v2.3/top-profitable-wallets/price"
    )
    expect(LoggedPath.loggedPath(`/erc20/0x${"a".repeat(40)}/prices`)).toBe("/erc20/…/prices")
    expect(LoggedPath.loggedPath(`/erc20/qp_${"a".repeat(43)}/price`)).toBe("/erc20/…/price")
    expect(LoggedPath.loggedPath("http://name:password@host/")).toBeUndefined()
  })
})
