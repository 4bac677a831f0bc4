/** Requests that no operation describes: which are rejected before they are sent. */
import { type ApiRequest, encodeApiRequest } from "@blockquarry/core/ApiRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"

/** Returns the issues of a request, as `parameter: reason`. */
const issuesOf = (request: ApiRequest): ReadonlyArray<string> =>
  Either.match(encodeApiRequest(request), {
    onLeft: ({ issues }) => issues.map(({ parameter, reason }) => `${parameter}: ${reason}`),
    onRight: () => []
  })

const base = "https://host.test/team/api"

/** The target that a server gets, after the URL parser of a client. */
const resolved = (path: string): URL => new URL(base + path)

describe("a path", () => {
  it.each([
    ..."/ /wallets/0x1/stats /a/ /a//b /a/... /a/..b /a/.well-known /tokens/%F0%9F%98%80 /a:b@c;v=1,2".split(
      " "
    )
  ])(
    "%s is sent as it is",
    (path) => {
      expect(issuesOf({ path })).toEqual([])
      expect(resolved(path).href).toBe(base + path)
    }
  )

  it.each([
    ..."wallets https://elsewhere.test/x //elsewhere.test/x /\\elsewhere.test /a?chain=eth /a#b /{address} /ä /a% /a%zz"
      .split(" "),
    ..."/.. /../x /a/../../x /a/. /%2e%2e/x /%2E./x /.%2e /a/%252e%252e/x /a/%25252e%25252e/x /a\\..\\x"
      .split(" "),
    ..."/a%2f..%2fx /a/..%2Fx /a/..%5cx /a/..%255cx /a/..;/x /a/..;v=1/x /a/..%3b/x".split(" "),
    ...["", "/a b", "/a/.\t./x", "/a/.\n./x", "/a\0"]
  ])("%j is rejected", (path) => {
    expect(issuesOf({ path })).toEqual([expect.stringMatching(/^path: /)])
  })

  it("never leaves the base URL", () => {
    const part = FastCheck.constantFrom(
      ..."/ // . .. %2e %2E %252e %2f %5c \\ ; %3b ? # @ : % a b \t \n %00 host.test https: \u2025 \uff0e"
        .split(" "),
      " "
    )
    FastCheck.assert(FastCheck.property(FastCheck.array(part, { maxLength: 8 }), (parts) => {
      const path = parts.join("")
      if (issuesOf({ path }).length > 0) return
      const { hash, host, pathname, search } = resolved(path)
      expect([host, pathname, search, hash]).toEqual(["host.test", `/team/api${path}`, "", ""])
      // What servers that decode more than once would see
      const decoded = decodeURIComponent(decodeURIComponent(path.replace(/%(?![\da-f]{2})/gi, "%25")))
      expect(new URL(`https://host.test${decoded.replaceAll("?", "")}`).pathname).toMatch(/^\//)
      expect(decoded.split(/[/\\]/).map((segment) => segment.split(";")[0])).not.toContain("..")
    }))
  })
})

describe("a body", () => {
  const bodyOf = (body: unknown) =>
    Either.map(encodeApiRequest({ method: "POST", path: "/x", body }), (request) => request.body)

  it("is JSON of any shape, in which a bigint is a string of digits", () => {
    expect(bodyOf([{ amount: 2n ** 255n, at: new Date(0), none: undefined }, null, "😀"])).toEqual(
      Either.right(`[{"amount":"${2n ** 255n}","at":"1970-01-01T00:00:00.000Z"},null,"😀"]`)
    )
    expect(bodyOf(undefined)).toEqual(Either.right(null))
    expect(bodyOf(null)).toEqual(Either.right("null"))
  })

  const circular: { self?: unknown } = {}
  circular.self = circular

  it.each([
    ["a function", () => 1, "got"],
    ["a circular object", circular, "got an object"],
    ["NaN", { amounts: [1, Number.NaN] }, "got NaN in \"1\""],
    [
      "a rounded integer",
      { amount: 2 ** 60 },
      "beyond 2^53, where only strings and bigints are exact in \"amount\""
    ]
  ])("is rejected if it is %s", (_, body, reason) => {
    expect(issuesOf({ method: "PUT", path: "/x", body })).toEqual([expect.stringContaining(reason)])
  })
})

it("names everything that is invalid", () => {
  const request: ApiRequest = JSON.parse(
    `{"method":"HEAD","path":"x","query":{"a":null},"body":1,"retry":"never","cost":-1,"querry":{}}`
  )
  const names = issuesOf(request).map((issue) => issue.split(":")[0])
  expect(names).toEqual(["method", "path", "retry", "cost", "querry", "query.a"])
  expect(issuesOf({ path: "/x", body: {} })).toEqual([
    "body: a GET has no body; set parameters in `query`, or another method"
  ])
})
