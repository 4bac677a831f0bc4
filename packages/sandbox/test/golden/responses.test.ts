/** Responses of a sandbox: records in every variant, pages, errors and faults. */
import type { Unreadable } from "@blockquarry/core/Decoder"
import { parse } from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { readFileSync } from "node:fs"
import { record } from "../../../core/test/golden/support/record.ts"
import * as Sandbox from "../../src/Sandbox.ts"
import { makeSandbox } from "../service/support.ts"

/** The record is the list of cases: a new one has a request, its body and headers, whose response `vitest -u` writes. */
interface Recorded {
  readonly request: string
  readonly body?: string
  readonly with?: Readonly<Record<string, string>>
}

const cases: ReadonlyArray<Recorded> = JSON.parse(
  readFileSync(new URL("records/responses.json", import.meta.url), "utf8")
)

/** Whether every field can be read. */
const isDecoded = ({ decode, isNotFound }: AnyOperation, document: unknown): boolean => {
  const unreadable: Unreadable = []
  return isNotFound(() => document) || Either.isRight(decode(document, unreadable)) && unreadable.length === 0
}

it.effect("responses are as recorded, and the operations decode them", () =>
  Effect.gen(function*() {
    const sandbox = yield* makeSandbox()
    const responses: Array<unknown> = []
    for (const { body: sent, request, with: more } of cases) {
      const [method = "", url = ""] = request.split(" ")
      const headers: Record<string, string> = { "x-api-key": Sandbox.apiKey, ...more }
      const { body, ...response } = yield* sandbox.handle({ method, url, headers, body: sent ?? "" })
      const document = Either.getOrElse(parse(body), () => body)
      responses.push({ request, body: sent, with: more, ...response, document })
      const [recorded] = (yield* sandbox.recordedRequests).slice(-1)
      const operation: AnyOperation | undefined = allOperations.find(({ id }) => id === recorded?.operation)
      if (response.status !== 200 || headers[Sandbox.faultHeader] !== undefined) continue
      expect([url, operation !== undefined && isDecoded(operation, document)]).toEqual([url, true])
    }
    const operations = (yield* sandbox.recordedRequests).map(({ operation }) => operation)
    expect(allOperations.filter(({ id }) => !operations.includes(id))).toEqual([])
    yield* Effect.promise(() => record("responses", responses, 1))
  }))
