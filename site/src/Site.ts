/** All pages of the site except the reference of the packages. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { documentPages, type Page } from "./Content.ts"
import { requestOf } from "./Examples.ts"
import { responseModels } from "./Fields.ts"
import { type ErrorRow, operationIndex, operationPage } from "./OperationPage.ts"

/** Returns the sandbox's response to the example request of an operation, as JSON. */
const sandboxResponse = (operation: AnyOperation) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const { body, method, target } = requestOf(operation)
    const url = `${Sandbox.baseUrls[operation.api]}${target}`
    const request = HttpClientRequest.make(method)(url, { headers: { "x-api-key": Sandbox.apiKey } })
    const response = yield* client.execute(
      body === null ? request : HttpClientRequest.bodyText(request, body, "application/json")
    )
    const text = yield* response.text
    if (response.status !== 200) {
      return yield* Effect.dieMessage(`${operation.id}: ${response.status} ${text}`)
    }
    const document = yield* LosslessJson.parse(text)
    return operation.encode(yield* operation.decode(document))
  })

/** The sections of the errors. Each line of their lists may be broken. */
const errorRows = (root: string): ReadonlyMap<string, ErrorRow> =>
  new Map(
    [
      ...readFileSync(join(root, "docs/errors.md"), "utf8").replaceAll(/\n +/g, " ")
        .matchAll(/^### (\w+)\n\n- \*\*Cause:\*\* (.+)\n- \*\*Retryable:\*\* (.+)\.\n- \*\*Fix:\*\* .+$/gm)
    ]
      .map(([, tag = "", cause = "", retryable = ""]) => [tag, { cause, retryable }])
  )

/** Returns the pages of the operations. */
const operationPages = (root: string): Effect.Effect<ReadonlyArray<Page>> =>
  Effect.gen(function*() {
    const models = responseModels(join(root, "packages/core/src/Operations.ts"))
    const errors = errorRows(root)
    const pages = yield* Effect.forEach(allOperations, (operation) =>
      Effect.map(sandboxResponse(operation), (response): Page => {
        const model = models.get(operation.id)
        if (model === undefined) {
          throw new Error(`${operation.id}: no type`)
        }
        return {
          path: `operations/${operation.id}.md`,
          text: operationPage(operation, {
            model,
            // Links are relative to the page
            errors: new Map([...errors].map(([tag, { cause, retryable }]) => [tag, {
              cause: cause.replaceAll(/\]\((?!\w+:|#)/g, "](../"),
              retryable
            }])),
            response
          })
        }
      }))
    return [{ path: "operations/index.md", text: operationIndex(allOperations) }, ...pages]
  }).pipe(Effect.provide(Sandbox.layer()), Effect.orDie)

/** Returns all pages. */
export const sitePages = (root: string): Effect.Effect<ReadonlyArray<Page>> =>
  Effect.map(operationPages(root), (operations) => [
    ...documentPages({ root, generated: new Set(operations.map(({ path }) => path)) }),
    ...operations
  ])
