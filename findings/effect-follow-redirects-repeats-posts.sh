#!/usr/bin/env bash
# effect 3.22.4 with @effect/platform 0.97.2: with HttpClient.followRedirects, a POST that gets a 303 is a POST again, with its body,
# so that a service which answers an update with "see other" may apply it twice. fetch turns it into a GET without a body, as
# RFC 9110 says. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund --legacy-peer-deps effect@3.22.4 @effect/platform@0.97.2 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect } from "effect"
import { createServer } from "node:http"

const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler)
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`))
  })
const seen = []
const other = await listen((request, response) => {
  let body = ""
  request.on("data", (chunk) => body += chunk)
  request.on("end", () => {
    seen.push(`${request.method} ${body || "-"}`)
    response.end()
  })
})
const first = await listen((request, response) => {
  request.resume()
  response.writeHead(303, { location: other }).end()
})

await Effect.runPromise(
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    HttpClient.followRedirects(client).execute(
      HttpClientRequest.post(first).pipe(HttpClientRequest.bodyText("amount=1"))
    )).pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }))
)
console.log("followRedirects:", seen.pop())
await fetch(first, { method: "POST", body: "amount=1" })
console.log("fetch:", seen.pop())
process.exit(0)
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
followRedirects: POST amount=1
fetch: GET -
EXPECTED
