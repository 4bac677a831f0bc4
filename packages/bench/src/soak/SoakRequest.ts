/** Creates the requests of a soak test with the checks of their responses. */
import { headerOf, type HttpResponse } from "../Connection.ts"
import { checkListResponse } from "./CheckListResponse.ts"
import { checkResponse, type CheckResult, incorrect } from "./CheckResponse.ts"
import type { EntityTags } from "./EntityTags.ts"
import { expectedList, expectedResponse, numberWithPage, pickNumber } from "./ExpectedResponse.ts"
import {
  encodings,
  kindForDraw,
  type RequestVariant,
  unmatchedEtag,
  variantHeaders
} from "./RequestVariant.ts"

export interface SoakRequest {
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly check: (response: HttpResponse) => CheckResult
}

/** Random numbers from 0 to 1. */
interface RandomDraws {
  readonly kind: number
  readonly unique: number
  readonly popularity: number
}

/** Returns the next request. `sequence` must be unique. */
export const nextRequest = (
  { kind, popularity, unique }: RandomDraws,
  sequence: number,
  tags: EntityTags
): SoakRequest => {
  const number = pickNumber(unique, popularity, sequence)
  switch (kindForDraw(kind)) {
    case "plain":
      return makeRequest(number, { kind: "plain" }, tags)
    case "encoded":
      // The proxy does not encode prices, because they are too short
      return makeRequest(
        numberWithPage(number),
        { kind: "encoded", encoding: encodings[sequence % encodings.length] ?? "gzip" },
        tags
      )
    case "conditional":
      return makeRequest(
        number,
        { kind: "conditional", tag: tags.get(expectedResponse(number).target) ?? unmatchedEtag },
        tags
      )
    case "list": {
      const listRequest = expectedList(number)
      return {
        target: listRequest.target,
        headers: variantHeaders({ kind: "list" }),
        check: (response) => checkListResponse(listRequest, response)
      }
    }
  }
}

const makeRequest = (number: number, variant: RequestVariant, tags: EntityTags): SoakRequest => {
  const expected = expectedResponse(number)
  return {
    target: expected.target,
    headers: variantHeaders(variant),
    check: (response) => {
      const result = checkResponse(expected, response, variant)
      return result.verdict === "correct" && !tags.add(expected.target, headerOf(response, "etag") ?? "none")
        ? incorrect(expected.target, response, "entity tag changed for the same document")
        : result
    }
  }
}
