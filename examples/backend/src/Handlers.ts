/** Implements the endpoints with the client of the data API, and maps its errors to those of the backend. */
import { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { DataApi } from "@blockquarry/http/DataApi"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { BackendApi, PriceNotFoundError, UpstreamUnavailableError } from "./Api.ts"

const toLine = Schema.encodeSync(Schema.parseJson(Erc20Transfer))

export const handlers = HttpApiBuilder.group(BackendApi, "chain", (group) =>
  Effect.gen(function*() {
    const data = yield* DataApi
    return group
      .handle("price", ({ path, urlParams }) =>
        data.tokenPrice({ ...path, ...urlParams }).pipe(
          Effect.tapError(Effect.logError),
          // Details of the API key and the upstream are not for the backend's clients.
          Effect.mapError((error) =>
            error._tag === "NotFoundError"
              ? new PriceNotFoundError({ message: error.serverMessage ?? "no price" })
              : new UpstreamUnavailableError({ message: "prices are temporarily unavailable; retry later" })
          )
        ))
      .handleRaw("transfers", ({ path, request, urlParams }) =>
        Effect.succeed(HttpServerResponse.stream(
          data.walletTransfers.items({ ...path, ...urlParams }).pipe(
            Stream.map((transfer) => `${toLine(transfer)}\n`),
            Stream.encodeText,
            // The server would end the response, so that callers would take an incomplete list for complete.
            Stream.tapError(() =>
              Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
            )
          ),
          { contentType: "application/x-ndjson" }
        )))
  }))
