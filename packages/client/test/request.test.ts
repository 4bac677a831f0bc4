/** Requests that no operation describes: over sockets, and with schemas of other libraries. */
import { type Client, createClient, type StandardSchema } from "@blockquarry/client"
import * as Schema from "effect/Schema"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import {
  cases,
  escapingPaths,
  key,
  type OtherEndpoints,
  start
} from "../../http/test/support/OtherEndpoints.ts"

let service: OtherEndpoints
let client: Client
const ended: Array<() => Promise<void>> = []

beforeEach(async () => {
  service = await start()
  client = createClient({
    apiKey: key,
    baseUrl: service.baseUrl,
    retry: { attempts: 3, baseDelay: { transient: 0, throttled: 0 }, maxDelay: 0 }
  })
  ended.push(client.close, service.close)
})

afterAll(async () => {
  for (const end of ended) await end()
})

/** Returns all values of an iterable. */
const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

const nameOf = (error: unknown): string => error instanceof Error ? error.name : String(error)

describe("a request", () => {
  it.each(cases)("$name", async ({ error, isList = false, output, request, sent }) => {
    const call: Promise<unknown> = isList ? collect(client.request.items(request)) : client.request(request)
    expect(await call.catch(nameOf)).toEqual(error ?? output)
    expect(service.sent).toEqual(sent)
    expect(new Set(service.keys)).toEqual(new Set([key]))
    expect(service.sentElsewhere).toEqual([])
  })

  it("does not leave the base URL, and names what is invalid", async () => {
    for (const path of escapingPaths(service.elsewhere)) {
      await expect(client.request({ path })).rejects.toMatchObject({
        name: "InvalidInputError",
        issues: [{ parameter: "path" }]
      })
      await expect(collect(client.request.pages({ path }))).rejects.toThrow("request: path: ")
    }
    for (
      const [json, message] of [
        [`[{"api":"toString","path":"/x"}]`, "api: expected one of data"],
        [`[]`, "path: expected a path below the base URL"],
        [`[{"path":"/x"},{"attempts":2}]`, "attempts: unknown option"],
        ...["{}", `"text"`, "null"].map((output) =>
          [`[{"path":"/x","output":${output}}]`, "output: expected a Standard Schema"] as const
        )
      ] as const
    ) {
      await expect(Reflect.apply(client.request, undefined, JSON.parse(json))).rejects.toThrow(message)
    }
    expect([...service.sent, ...service.sentElsewhere]).toEqual([])
    const ledger = createClient({ baseUrls: { ledger: service.baseUrl } })
    await expect(ledger.request({ path: "/count" })).rejects.toMatchObject({ name: "ConfigurationError" })
    await ledger.close()
  })
})

/** A schema as other libraries implement it: its values are numbers of at least `min`. */
const atLeast = (min: number, isAsync: boolean): StandardSchema<{ readonly number: number }> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const result = typeof value === "number" && value >= min
        ? { value: { number: value } }
        : {
          issues: [{ message: `expected at least ${min}`, path: ["of", { key: 0 }] }, { message: "other" }]
        }
      return isAsync ? Promise.resolve(result) : result
    }
  }
})

describe("the output", () => {
  it.each([false, true])(
    "is what a Standard Schema returns, or an error with its path (asynchronous: %s)",
    async (isAsync) => {
      expect(await client.request({ path: "/count", output: atLeast(12, isAsync) })).toEqual({ number: 12 })
      await expect(client.request({ path: "/count", output: atLeast(13, isAsync) })).rejects.toMatchObject({
        name: "InvalidResponseError",
        operation: "request",
        kind: "unexpected-shape",
        path: "of[0]",
        reason: "expected at least 13",
        body: isAsync ? "" : "12"
      })
      expect(service.sent).toHaveLength(2)
    }
  )

  it("that throws fails the call with what it throws", async () => {
    const validate = () => {
      throw new TypeError("of the schema")
    }
    const output: StandardSchema<never> = { "~standard": { version: 1, vendor: "test", validate } }
    await expect(client.request({ path: "/count", output })).rejects.toMatchObject({
      name: "InvalidResponseError",
      reason: "the schema `output` failed: TypeError: of the schema"
    })
  })

  it("of a list is a page, which keeps the cursor", async () => {
    const Page = Schema.standardSchemaV1(Schema.Struct({
      cursor: Schema.NullOr(Schema.String),
      result: Schema.Array(Schema.Struct({ value: Schema.BigInt }))
    }))
    await expect(collect(client.request.items({ path: "/approvals", output: Page }))).rejects.toMatchObject({
      path: "result[1]"
    })
    // @ts-expect-error -- no page
    await expect(collect(client.request.pages({ path: "/count", output: atLeast(1, false) }))).rejects
      .toThrow(
        "returns a page, with the list `result`"
      )
  })
})
