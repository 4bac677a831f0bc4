/** The OpenAPI document describes every operation, is consistent, and matches the responses. */
import { allOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { defaults } from "../../../src/config/Config.ts"
import * as OpenApiDocument from "../../../src/docs/openapi/OpenApiDocument.ts"
import { errorCodes } from "../../../src/exchange/ErrorCode.ts"
import * as CostTable from "../../../src/quota/CostTable.ts"
import { examples, ledger, sendRequest, start } from "../../support/proxy.ts"
import { sampleRequests } from "../../support/sampleRequests.ts"

/** The document after encoding and decoding, as clients see it. */
const document = JSON.parse(JSON.stringify(OpenApiDocument.document(CostTable.make(defaults))))

const resolve = (reference: string): unknown => {
  if (!reference.startsWith("#/")) throw new Error(`not a reference within the document: ${reference}`)
  return reference.slice(2).split("/").reduce<unknown>(
    (node, step) => Reflect.get(Object(node), step),
    document
  )
}

const references = (node: unknown): ReadonlyArray<string> =>
  typeof node !== "object" || node === null
    ? []
    : Object.entries(node).flatMap(([name, value]) =>
      name === "$ref" && typeof value === "string" ? [value] : references(value)
    )

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, "document")

/** Returns how a value differs from a schema of the document. */
const schemaViolations = (name: string, value: unknown): unknown => {
  const validate = ajv.getSchema(`document#/components/schemas/${name}`)
  return validate?.(value) === true ? [] : validate?.errors
}

interface OperationEntry {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<
    { readonly name: string; readonly in: string; readonly required: boolean }
  >
  readonly responses: { readonly [status: string]: { readonly $ref?: string; readonly description?: string } }
}

const operationsOf = () =>
  Object.entries<Record<string, OperationEntry>>(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation }))
  )

describe("document", () => {
  it("is valid OpenAPI 3.1", async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  })

  it("resolves all references, declares path parameters as required, and describes all responses", () => {
    for (const reference of new Set(references(document))) {
      expect(resolve(reference), reference).toBeTypeOf("object")
    }
    for (const { operation, path } of operationsOf()) {
      const declared = (operation.parameters ?? []).filter((each) => each.in === "path")
      expect(declared.map(({ name }) => name).sort())
        .toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort())
      expect(declared.every(({ required }) => required)).toBe(true)
      expect(Object.keys(operation.responses)).toContain("200")
      for (const response of Object.values(operation.responses)) {
        expect(response.$ref ?? response.description).toBeTypeOf("string")
      }
    }
  })

  it("has the same codes and statuses as docs/proxy/errors.md", () => {
    const prose = readFileSync(new URL("../../../../../docs/proxy/errors.md", import.meta.url), "utf8")
    const documented = [...prose.matchAll(/^\| (\d{3}) +\| `([a-z-]+)`/gm)].map(([, status, code]) =>
      [code, Number(status)] as const
    )
    expect(documented.toSorted()).toEqual(
      Object.entries(errorCodes).map(([code, { status }]) => [code, status]).toSorted()
    )
  })
})

describe("responses", () => {
  it.scopedLive("match their schemas", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const schemaOf = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Response`
      for (const { id, method } of allOperations) {
        const { body, path } = sampleRequests[id] ?? { path: "" }
        const response = yield* sendRequest(port, path, { method, ...(body === undefined ? {} : { body }) })
        expect([id, schemaViolations(schemaOf(id), JSON.parse(response.text))]).toEqual([id, []])
      }
      for (const hash of ledger.transactions.mainnet.keys()) {
        const response = yield* sendRequest(port, `/transactions/by_hash/${hash}`)
        expect(schemaViolations(schemaOf("ledgerTransaction"), JSON.parse(response.text))).toEqual([])
      }
      const failure = yield* sendRequest(port, `/api/v2.2/${examples.wallet}/erc20/transfers?limit=0`)
      expect(schemaViolations("ProxyError", JSON.parse(failure.text))).toEqual([])
    }))
})
