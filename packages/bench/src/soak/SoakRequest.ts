/** The requests of a soak test, with the checks of their responses. */
import type { PCGRandom } from "effect/Utils"
import { priceDocument, transferRecords, transfersPage, wallet } from "../Documents.ts"
import type { Request, Response } from "../Load.ts"
import { checkDocument, checkList, type CheckResult, type ExpectedPage } from "./CheckResponse.ts"

export interface SoakRequest extends Request {
  readonly check: (response: Response, truncated: boolean) => CheckResult
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

const listPages = listCursors.map((cursor, index) => ({
  query: cursor === undefined ? "" : `&cursor=${cursor}`,
  ...pageTemplate(listLimit, listCursors[index + 1] ?? null, index * listLimit)
}))

/** The bodies of the upstream, which `upstream.mjs` describes. */
export const bodies: Readonly<Record<string, string>> = {
  [price.path]: price.text,
  ...Object.fromEntries(
    [{ query: "", ...shortPage }, { query: "", ...longPage }, ...listPages]
      .map(({ limit, path, query, text }) => [`${path}?limit=${limit}${query}`, text])
  )
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

/** Returns the request with a number for a document. */
const documentRequest = (number: number, template: Template, encoding = ""): SoakRequest => {
  const { fillIn, targetOf } = subjectOf(number)
  return {
    target: targetOf(template),
    headers: { "accept-encoding": encoding },
    check: (response) => checkDocument(fillIn(template.text), response, encoding)
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

const listRequest = (number: number): SoakRequest => ({
  target: `/all${subjectOf(number).targetOf({ ...shortPage, limit: listLimit })}`,
  check: (response, truncated) => checkList(expectedPages(number), response, truncated)
})

/** Requests with their ratios. The proxy does not encode prices, because they are too short. */
const kinds: ReadonlyArray<readonly [ratio: number, make: (number: number) => SoakRequest]> = [
  [0.02, listRequest],
  [0.04, (number) => documentRequest(number, shortPage, "gzip")],
  [0.05, (number) => documentRequest(number, shortPage)],
  [0.02, (number) => documentRequest(number, longPage)],
  [0.87, (number) => documentRequest(number, price)]
]

/** Returns the next request. `sequence` must be unique. */
export const nextRequest = (random: PCGRandom, sequence: number): SoakRequest => {
  const cancels = random.number() < disconnectShare
  // Popular requests have a log-uniform distribution, so the first is about ten times as frequent as the tenth
  const number = random.number() < uniqueShare
    ? popularCount + sequence
    : Math.floor(popularCount ** random.number())
  let draw = random.number()
  const [, make = listRequest] = kinds.find(([ratio]) => (draw -= ratio) < 0) ?? []
  const request = make(number)
  return cancels ? { ...request, disconnectAfter: random.number() * maxDisconnectDelay } : request
}
