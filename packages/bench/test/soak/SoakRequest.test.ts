/** The requests of a soak test, and what the upstream responds with and without faults. */
import * as Effect from "effect/Effect"
import { PCGRandom } from "effect/Utils"
import { expect, it } from "vitest"
import * as Load from "../../src/Load.ts"
import { startUpstream } from "../../src/Servers.ts"
import { unmatchedTag } from "../../src/soak/CheckResponse.ts"
import { bodies, type EntityTags, nextRequest, type SoakRequest } from "../../src/soak/SoakRequest.ts"

const requests = (count: number, tags: EntityTags = new Map()) => {
  const random = new PCGRandom(7)
  return Array.from({ length: count }, (_, sequence) => nextRequest(random, sequence, tags))
}

it("a tenth of the requests are lists, encoded or conditional, a hundredth are cancelled, and the popular ones repeat", () => {
  const all = requests(10_000)
  const ratio = (matches: (request: SoakRequest) => unknown) => all.filter(matches).length / all.length
  expect(ratio(({ target }) => target.startsWith("/all/"))).toBeCloseTo(0.02, 1.9)
  expect(ratio(({ headers }) => headers?.["accept-encoding"] === "gzip")).toBeCloseTo(0.02, 1.9)
  expect(ratio(({ headers }) => headers?.["accept-encoding"] === "br")).toBeCloseTo(0.02, 1.9)
  expect(ratio(({ headers }) => headers?.["if-none-match"] === unmatchedTag)).toBeCloseTo(0.04, 1.9)
  expect(ratio(({ disconnectAfter }) => disconnectAfter)).toBeCloseTo(0.01, 1.9)
  const different = new Set(all.map(({ target }) => target)).size
  expect(different).toBeGreaterThan(1000)
  expect(different).toBeLessThan(4000)
})

it("conditional requests send the tag of the last response, and a changed tag is an error", async () => {
  const tags: EntityTags = new Map()
  const [request] = requests(1, tags)
  const response = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { baseUrl } = yield* startUpstream({ bodies })
    const { close, send } = Load.connection(Number(new URL(baseUrl).port))
    const response = yield* Effect.promise(() => send({ target: request?.target ?? "" }))
    close()
    return response
  })))
  if (request === undefined || response instanceof Error) throw new Error("no response")
  const check = (etag: string) => request.check({ ...response, headers: { etag } })
  expect([check("W/\"a\"").verdict, check("W/\"a\"").verdict]).toEqual(["correct", "correct"])
  expect(check("W/\"b\"")).toMatchObject({ verdict: "incorrect", reason: expect.stringContaining("tag") })
  expect([...tags]).toEqual([[request.target, "W/\"a\""]])
  for (const { target } of requests(100)) tags.set(target, "W/\"a\"")
  const sent = requests(100, tags).map(({ headers }) => headers?.["if-none-match"])
  expect(new Set(sent)).toEqual(new Set([undefined, "W/\"a\""]))
})

/** Sends plain requests without the proxy, and counts the results. */
const outcomesOf = (faults: number, count: number) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const upstream = yield* startUpstream({ bodies, faults })
    const plain = requests(4 * count)
      .filter(({ headers, target }) => !target.startsWith("/all/") && Object.keys(headers ?? {}).length === 0)
      .slice(0, count)
      .map(({ check, target }) => ({ check, target }))
    const outcomes = new Map<string, number>()
    let sent = 0
    yield* Load.send({
      port: Number(new URL(upstream.baseUrl).port),
      connections: 8,
      next: () =>
        plain[sent++ % plain.length] ?? { target: "/", check: () => ({ verdict: "incorrect", reason: "" }) },
      onResponse: (response, _, { check }) => {
        const outcome = response instanceof Error ? "no response" : check(response).verdict
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }, count)
    return { outcomes, requestCount: yield* upstream.requestCount }
  })))

it("an upstream without faults returns the expected response of each request", async () => {
  const { outcomes, requestCount } = await outcomesOf(0, 300)
  expect([...outcomes]).toEqual([["correct", 300]])
  expect(requestCount).toBe(300)
})

it("an upstream that always fails returns expected responses only with a delay", async () => {
  const { outcomes } = await outcomesOf(1, 300)
  // Each kind is at least 20 % of the faults, except delays (5 %)
  expect(outcomes.get("correct")).toBeLessThan(60)
  for (const kind of ["no response", "incorrect", "error"]) expect(outcomes.get(kind)).toBeGreaterThan(30)
})
