/** The requests of a soak test, with the checks of their responses. */
import type { PCGRandom } from "effect/Utils"
import { priceDocument, transferRecords, transfersPage, wallet } from "../Documents.ts"
import type { Request, Response } from "../Load.ts"
import {
  checkDocument,
  checkList,
  type CheckResult,
  encodings,
  type ExpectedPage,
  unmatchedTag,
  type Variant
} from "./CheckResponse.ts"

export interface SoakRequest extends Request {
  readonly check: (response: Response) => CheckResult
}

/** A document of the upstream, with placeholders that `upstream.mjs` and `subjectOf` replace. */
interface Template {
  readonly path: string
  readonly limit?: number
  readonly text: string
}

const pageTemplate = (limit: number, cursor: string | null = "@chain@", from = 0): Template => ({
  path: "/api/v2.2/:address/erc20/transfers",
  limit,
  text: transfersPage("strings", cursor, limit, from).replaceAll(wallet, "@address@")
})

const price = { path: "/api/v2.2/erc20/:address/price", text: priceDocument("@address@", "@chain@") }

const [shortPage, longPage] = [pageTemplate(10), pageTemplate(100)]

/** The number of records of each page of a streamed list, and the cursors of the pages. */
const [listLimit, listCursors] = [20, [undefined, "second", "third"]] as const

const listPages = listCursors.map((_, index) =>
  pageTemplate(listLimit, listCursors[index + 1] ?? null, index * listLimit)
)

/** The bodies of the upstream, which `upstream.mjs` describes. */
export const bodies: Readonly<Record<string, string>> = {
  [price.path]: price.text,
  ...Object.fromEntries(
    [shortPage, longPage].map(({ limit, path, text }) => [`${path}?limit=${limit}`, text])
  ),
  ...Object.fromEntries(listPages.map(({ path, text }, index) => {
    const cursor = listCursors[index]
    return [`${path}?limit=${listLimit}${cursor === undefined ? "" : `&cursor=${cursor}`}`, text]
  }))
}

/** Canonical chain IDs, which the proxy sends to the upstream. */
const chains = ["0x1", "0x89", "0x2105"]

/** What the request with a number is about. Three consecutive numbers differ only in the chain. */
const subjectOf = (number: number) => {
  const address = `0x50a4${Math.floor(number / chains.length).toString(16).padStart(36, "0")}`
  const chain = chains[number % chains.length] ?? ""
  return {
    fillIn: (text: string) => text.replaceAll("@address@", address).replaceAll("@chain@", chain),
    targetOf: ({ limit, path }: Template) =>
      `${path.replace(":address", address)}?chain=${chain}${limit === undefined ? "" : `&limit=${limit}`}`
  }
}

/** Entity tags by target, to check that equal documents have equal tags. */
export type EntityTags = Map<string, string>

/** More than the number of popular requests. */
const maxTags = 4096

/** Returns the request with a number for a document. */
const documentRequest = (
  number: number,
  template: Template,
  tags: EntityTags = new Map(),
  variant: Variant = {}
): SoakRequest => {
  const { fillIn, targetOf } = subjectOf(number)
  const target = targetOf(template)
  return {
    target,
    headers: {
      ...(variant.encoding === undefined ? {} : { "accept-encoding": variant.encoding }),
      ...(variant.tag === undefined ? {} : { "if-none-match": variant.tag })
    },
    check: (response) => {
      const result = checkDocument(fillIn(template.text), response, variant)
      if (result.verdict !== "correct") return result
      const tag = String(response.headers["etag"])
      if ((tags.get(target) ?? tag) !== tag) {
        return { verdict: "incorrect", reason: "entity tag changed for the same document" }
      }
      if (tags.size < maxTags) tags.set(target, tag)
      return result
    }
  }
}

/** The pages of the list with a number. */
export const expectedPages = (number: number): ReadonlyArray<ExpectedPage> =>
  listPages.map((_, index) => ({
    records: transferRecords("strings", listLimit, index * listLimit)
      .map((record) => subjectOf(number).fillIn(record.replaceAll(wallet, "@address@"))),
    cursor: listCursors[index + 1]
  }))

/** The number of requests that are repeated, and the ratio of those that are not. */
const [popularCount, uniqueShare] = [3000, 0.05]

/** The ratio of requests that the client cancels, and the maximum time before that in milliseconds. */
const [disconnectShare, maxDisconnectDelay] = [0.01, 20]

/** The ratios of kinds of requests. */
const kinds = {
  list: 0.02,
  encoded: 0.04,
  conditional: 0.04,
  shortPage: 0.05,
  longPage: 0.02,
  price: 0.83
}

/** Returns the next request. `sequence` must be unique. */
export const nextRequest = (random: PCGRandom, sequence: number, tags: EntityTags): SoakRequest => {
  const cancels = random.number() < disconnectShare
  // Popular requests have a log-uniform distribution, so the first is about ten times as frequent as the tenth
  const number = random.number() < uniqueShare
    ? popularCount + sequence
    : Math.floor(popularCount ** random.number())
  let draw = random.number()
  const kind = Object.entries(kinds).find(([, ratio]) => (draw -= ratio) < 0)?.[0]
  const request = requestOfKind(kind, number, sequence, tags)
  return cancels ? { ...request, disconnectAfter: random.number() * maxDisconnectDelay } : request
}

const requestOfKind = (kind: string | undefined, number: number, sequence: number, tags: EntityTags) => {
  switch (kind) {
    case "list": {
      const target = `/all${subjectOf(number).targetOf({ ...shortPage, limit: listLimit })}`
      return { target, check: (response: Response) => checkList(expectedPages(number), response) }
    }
    case "encoded":
      // The proxy does not encode prices, because they are too short
      return documentRequest(number, shortPage, tags, { encoding: encodings[sequence % 2] ?? "gzip" })
    case "conditional": {
      const tag = tags.get(subjectOf(number).targetOf(price)) ?? unmatchedTag
      return documentRequest(number, price, tags, { tag })
    }
    case "shortPage":
      return documentRequest(number, shortPage, tags)
    case "longPage":
      return documentRequest(number, longPage, tags)
    default:
      return documentRequest(number, price, tags)
  }
}
