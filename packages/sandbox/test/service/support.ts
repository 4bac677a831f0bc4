/** Helpers for tests of the sandbox. */
import { parse } from "@blockquarry/core/LosslessJson"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { pathPrefix } from "@blockquarry/core/Operation"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Ledger from "../../src/Ledger.ts"
import * as Sandbox from "../../src/Sandbox.ts"

export const ledger = Ledger.make({ seed: 5, scale: 400 })

export const { examples } = ledger

export const eth = ledger.chains.get("eth")!

export const makeSandbox = (options: Sandbox.SandboxOptions = {}): Effect.Effect<Sandbox.SandboxService> =>
  Sandbox.make({ ledger, ...options })

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>

/** Returns the URL of a path of the data API. */
export const dataUrl = (path: string, parameters: QueryParameters = {}): string => {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]).join("&")
  return `${pathPrefix.data}${path}${query === "" ? "" : `?${query}`}`
}

export interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly document: JsonValue
}

/** Sends a request with the valid API key. */
export const send = (
  sandbox: Sandbox.SandboxService,
  url: string,
  init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {}
): Effect.Effect<TestResponse> =>
  Effect.map(
    sandbox.handle({
      method: init.method ?? "GET",
      url,
      headers: { "x-api-key": Sandbox.apiKey, ...init.headers },
      body: init.body ?? ""
    }),
    (response) => {
      const text = String(response.body)
      return {
        status: response.status,
        headers: response.headers,
        text,
        document: Either.getOrElse(parse(text), () => null)
      }
    }
  )

/** A page of any list. */
const ListPage = Schema.Struct({
  cursor: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  total: Schema.UndefinedOr(Schema.String).pipe(Schema.optional),
  status: Schema.UndefinedOr(Schema.String).pipe(Schema.optional),
  page: Schema.Union(Schema.Number, Schema.NumberFromString),
  page_size: Schema.Union(Schema.Number, Schema.NumberFromString),
  result: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Any }))
})

export const decodePage = (response: TestResponse): typeof ListPage.Type =>
  Schema.decodeUnknownSync(ListPage)(response.document)

/** Reads all pages of a list. */
export const readAllPages = (sandbox: Sandbox.SandboxService, path: string, parameters: QueryParameters) =>
  Effect.gen(function*() {
    const pages: Array<typeof ListPage.Type> = []
    let cursor: string | null | undefined
    while (cursor !== null && pages.length < 2000) {
      const response = yield* send(sandbox, dataUrl(path, { ...parameters, cursor }))
      if (response.status !== 200) return yield* Effect.dieMessage(`${response.status}: ${response.text}`)
      const next = decodePage(response)
      pages.push(next)
      cursor = next.cursor
    }
    return pages
  })

export const records = (pages: ReadonlyArray<typeof ListPage.Type>) => pages.flatMap(({ result }) => result)
