/** `quarry api METHOD /path`: requests that no operation describes, to a service on the loopback interface. */
import { parse } from "@blockquarry/core/LosslessJson"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import {
  cases,
  type EndpointCase,
  escapingPaths,
  key,
  start
} from "../../../../packages/http/test/support/OtherEndpoints.ts"
import { exitCodes } from "../../src/errors/CommandError.ts"
import { temporaryFolder } from "../support/exports.ts"
import { quarry, records, type RunOptions } from "../support/quarry.ts"

const service = Effect.acquireRelease(Effect.promise(start), ({ close }) => Effect.promise(close))

const run = (baseUrl: string, argv: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (client) =>
      quarry(["api", ...argv], { client, env: { QUARRY_API_KEY: key, QUARRY_BASE_URL: baseUrl }, ...options })
  )

const argvOf = ({ request: { body, method = "GET", path, query = {}, retry } }: EndpointCase) => [
  method,
  path,
  ...Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().flatMap((item) => [
        "--query",
        `${name}${Array.isArray(value) ? "[]" : ""}=${String(item)}`
      ])
  ),
  ...body === undefined ? [] : ["--body", JSON.stringify(body)],
  ...retry === "always" ? ["--read-only"] : []
]

const parsed = (text: string) => Either.getOrThrow(parse(text))

it.live.each(sample(cases, 3))("returns the output of $name", (endpoint) =>
  Effect.gen(function*() {
    const { baseUrl, keys, sent, sentElsewhere } = yield* service
    const { error, isList = false, output = null } = endpoint
    const ran = yield* run(baseUrl, [...argvOf(endpoint), ...isList ? ["--all", "-o", "ndjson"] : []])
    // A command makes its own number of attempts before it fails
    const counted = (lines: ReadonlyArray<string>) => error === undefined ? lines : [...new Set(lines)]
    expect([ran.code, counted(sent), sentElsewhere]).toEqual([
      error === undefined ? 0 : exitCodes[error],
      counted(endpoint.sent),
      []
    ])
    expect(keys.every((sentKey) => sentKey === key)).toBe(true)
    expect(ran.out + ran.err).not.toContain(key)
    if (error !== undefined) return
    if (!isList) return expect(ran.out === "" ? null : parsed(ran.out)).toEqual(output)
    const elements = [output].flat()
    expect(records(ran.out)).toEqual(
      elements.map((element) => Predicate.isRecord(element) ? element : { value: element })
    )
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("sends nothing to a path that would leave the base URL", () =>
  Effect.gen(function*() {
    const { baseUrl, elsewhere, sent, sentElsewhere } = yield* service
    for (const path of escapingPaths(elsewhere)) {
      // The command line takes a query apart
      if (path === "/count?x=1") continue
      for (const more of [[], ["--all"], ["--curl"], ["--dry-run"]]) {
        const ran = yield* run(baseUrl, ["GET", path, ...more])
        expect([path, ran.code, ran.out]).toEqual([path, 2, ""])
        expect(ran.err).toMatch(/^error: path: .*\nhint: a path is relative to the base URL/)
      }
    }
    expect([sent, sentElsewhere]).toEqual([[], []])
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("takes the query of a path apart, and sends it as it is written", () =>
  Effect.gen(function*() {
    const { baseUrl, sent } = yield* service
    const path = "/search?q=a%26b+ä&ids[]=2&ids[]=1&flag=&x=%zz"
    const ran = yield* run(baseUrl, [path, "--query", "flag=true"])
    expect(ran.code).toBe(0)
    expect(sent).toEqual([
      "GET /search?q=a%26b%20%C3%A4&ids%5B%5D=2&ids%5B%5D=1&flag=&x=%25zz&flag=true"
    ])
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("continues a list where it stopped, also inside a page", () =>
  Effect.gen(function*() {
    const { baseUrl } = yield* service
    const argv = ["/approvals?limit=2", "-o", "ndjson"]
    const all = yield* run(baseUrl, [...argv, "--all"])
    for (const count of [1, 2, 3]) {
      const first = yield* run(baseUrl, [...argv, "--max-items", String(count)])
      const [, cursor = ""] = /--cursor='?([^\s']+)/.exec(first.err) ?? []
      const rest = yield* run(baseUrl, [...argv, "--all", "--cursor", cursor])
      expect(first.out + rest.out).toBe(all.out)
      const query = cursor.startsWith("skip:") ? ["--cursor", cursor] : ["--query", `cursor=${cursor}`]
      expect((yield* run(baseUrl, [...argv, "--all", ...query])).out).toBe(rest.out)
    }
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("shows the request of the page after a cursor, in the body or in the query", () =>
  Effect.gen(function*() {
    const { baseUrl, sent } = yield* service
    const body = ["/query", "--body", "{\"a\":1}"]
    for (const option of ["--curl", "--dry-run"]) {
      const shown = yield* run(baseUrl, ["/approvals?limit=2&cursor=a", "--cursor", "skip:1:b", option])
      expect(shown.out).toContain("/approvals?limit=2&cursor=b")
      expect((yield* run(baseUrl, [...body, "--cursor", "b", option])).out).toContain(
        "{\"a\":1,\"cursor\":\"b\"}"
      )
    }
    expect(sent).toEqual([])
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("sends a body as it is written, with all digits of its numbers", () =>
  Effect.gen(function*() {
    const { baseUrl, sent } = yield* service
    const body =
      "{ \"a\": 1234567890.123456789, \"b\": [12345678901234567890, 1.50, 1E5], \"10\": \"\\u00e4\", \"2\": null }"
    const file = join(temporaryFolder(), "body.json")
    writeFileSync(file, `\ufeff${body}\r\n`)
    yield* run(baseUrl, ["/alerts", "--body", body])
    yield* run(baseUrl, ["/alerts", "--body", `@${file}`])
    yield* run(baseUrl, ["/alerts", "--body", "-"], { stdin: `${body}\n` })
    yield* run(baseUrl, ["/alerts", "--body", "@/dev/stdin"], { stdin: body })
    yield* run(baseUrl, ["/alerts", "--body", body, "-o", "json"])
    yield* run(baseUrl, ["/alerts", "--body", "12345678901234567890"])
    expect(sent).toEqual([
      ...Array<string>(5).fill(`POST /alerts ${body}`),
      "POST /alerts 12345678901234567890"
    ])
    for (const option of ["--curl", "--dry-run"]) {
      expect((yield* run(baseUrl, ["/alerts", "--body", body, option])).out).toContain(body)
    }
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

it.live("sets the cursor of a later page in a body, of which all else stays as it is written", () =>
  Effect.gen(function*() {
    const { baseUrl, sent } = yield* service
    const members = ["\"above\":1234567890.123456789", "\"sql\":\"select \\\"cur\\u0073or\\\"\""]
    const later = `POST /query {${members.join(",")},"cursor":"n"}`
    const first = `{ ${members.join(" , ")} }`
    yield* run(baseUrl, ["/query", "--read-only", "--all", "--body", first])
    expect(sent).toEqual([`POST /query ${first}`, later])
    const written = `{${members.join()}, "cursor":"a"}`
    yield* run(baseUrl, ["/query", "--read-only", "--all", "--body", written, "--cursor", "n"])
    expect(sent.slice(2)).toEqual([later])
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
