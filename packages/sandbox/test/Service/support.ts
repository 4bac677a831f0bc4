/** What the tests of the service have in common. */
import { parse } from "@blockquarry/core/LosslessJson"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { prefix } from "@blockquarry/core/Operation"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Ledger from "../../src/Ledger.ts"
import * as Sandbox from "../../src/Sandbox.ts"

export const ledger = Ledger.make({ seed: 5, scale: 400 })

export const { examples } = ledger

export const eth = ledger.chains.get("eth")!

export const make = (options: Sandbox.Options = {}): Effect.Effect<Sandbox.Service> =>
  Sandbox.make({ ledger, ...options })

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/** The url of a path of the main API with its query. */
export const data = (path: string, parameters: Parameters = {}): string => {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]).join("&")
  return `${prefix.data}${path}${query === "" ? "" : `?${query}`}`
}

export interface Asked {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly document: JsonValue
}

/** Asks the sandbox with the good key. */
export const ask = (
  sandbox: Sandbox.Service,
  url: string,
  init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {}
): Effect.Effect<Asked> =>
  Effect.map(
    sandbox.handle({
      method: init.method ?? "GET",
      url,
      headers: { "x-api-key": Sandbox.key, ...init.headers },
      body: init.body ?? ""
    }),
    (answer) => {
      const text = String(answer.body)
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        document: Either.getOrElse(parse(text), () => null)
      }
    }
  )

/** A page of whatever list. */
const PageOf = Schema.Struct({
  cursor: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  total: Schema.UndefinedOr(Schema.String).pipe(Schema.optional),
  status: Schema.UndefinedOr(Schema.String).pipe(Schema.optional),
  page: Schema.Union(Schema.Number, Schema.NumberFromString),
  page_size: Schema.Union(Schema.Number, Schema.NumberFromString),
  result: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Any }))
})

export const page = (asked: Asked): typeof PageOf.Type => Schema.decodeUnknownSync(PageOf)(asked.document)

/** All pages of a list. */
export const walk = (sandbox: Sandbox.Service, path: string, parameters: Parameters) =>
  Effect.gen(function*() {
    const pages: Array<typeof PageOf.Type> = []
    let cursor: string | null | undefined
    while (cursor !== null && pages.length < 2000) {
      const asked = yield* ask(sandbox, data(path, { ...parameters, cursor }))
      if (asked.status !== 200) return yield* Effect.dieMessage(`${asked.status}: ${asked.text}`)
      const next = page(asked)
      pages.push(next)
      cursor = next.cursor
    }
    return pages
  })

export const records = (pages: ReadonlyArray<typeof PageOf.Type>) => pages.flatMap(({ result }) => result)

/** Everything of a sequence, oldest first. */
export const list = <A>(sequence: Ledger.Sequence<A>): ReadonlyArray<A> =>
  Array.from({ length: sequence.length }, (_, index) => sequence.at(index)!)
