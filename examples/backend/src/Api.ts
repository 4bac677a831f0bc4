/** The HTTP API of this backend: its endpoints, responses and errors. */
import { Address } from "@blockquarry/core/Address"
import { Chain, priceChains, withKnownChains } from "@blockquarry/core/Chain"
import { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"

/** The token is unknown or has no price. */
export class PriceNotFoundError extends Schema.TaggedError<PriceNotFoundError>()(
  "PriceNotFoundError",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 404 })
) {}

/** The upstream is temporarily unavailable. */
export class UpstreamUnavailableError extends Schema.TaggedError<UpstreamUnavailableError>()(
  "UpstreamUnavailableError",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 503 })
) {}

const price = HttpApiEndpoint.get("price", "/tokens/:address/price")
  .setPath(Schema.Struct({ address: Address }))
  .setUrlParams(Schema.Struct({ chain: Schema.optionalWith(withKnownChains(priceChains), { exact: true }) }))
  .addSuccess(TokenPrice)
  .addError(PriceNotFoundError)
  .addError(UpstreamUnavailableError)

/** Streams every transfer of a wallet as NDJSON. */
const transfers = HttpApiEndpoint.get("transfers", "/wallets/:address/transfers")
  .setPath(Schema.Struct({ address: Address }))
  .setUrlParams(Schema.Struct({ chain: Schema.optionalWith(Chain, { exact: true }) }))
  .addSuccess(
    Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "application/x-ndjson" }))
  )

export class BackendApi
  extends HttpApi.make("backend").add(HttpApiGroup.make("chain").add(price).add(transfers))
{}
