/** A call of a client that is created for it, without network. Returns the number of records. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { clientOptions, makeDataApi } from "./BlockquarryClient.ts"
import { countRecords, transfersPage, wallet } from "./Documents.ts"
import * as StubClient from "./StubClient.ts"

const bytes = Buffer.from(transfersPage("strings", null))
const client = StubClient.makeStubClient(() => bytes)

export const calls = {
  platform: client.get("http://first.test").pipe(
    Effect.flatMap((response) => response.json),
    Effect.map(countRecords)
  ),
  blockquarry: makeDataApi(Context.make(HttpClient.HttpClient, client), clientOptions("http://first.test"))
    .pipe(
      Effect.flatMap((data) => data.walletTransfers({ address: wallet, chain: "eth" })),
      Effect.map(({ result }) => result.length),
      Effect.scoped
    )
}
