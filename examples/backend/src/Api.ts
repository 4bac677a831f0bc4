/** The contract of this backend: what it answers, and how it fails. */
import { Address } from "@blockquarry/core/Address"
import { EvmChain, PriceChain } from "@blockquarry/core/Chain"
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

/** The service behind this backend cannot answer right now. */
export class UpstreamUnavailableError extends Schema.TaggedError<UpstreamUnavailableError>()(
  "UpstreamUnavailableError",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 503 })
) {}

const price = HttpApiEndpoint.get("price", "/tokens/:address/price")
  .setPath(Schema.Struct({ address: Address }))
  .setUrlParams(Schema.Struct({ chain: Schema.optionalWith(PriceChain, { exact: true }) }))
  .addSuccess(TokenPrice)
  .addError(PriceNotFoundError)
  .addError(UpstreamUnavailableError)

/** Every transfer of a wallet, one JSON document a line, written as it arrives. */
const transfers = HttpApiEndpoint.get("transfers", "/wallets/:address/transfers")
  .setPath(Schema.Struct({ address: Address }))
  .setUrlParams(Schema.Struct({ chain: Schema.optionalWith(EvmChain, { exact: true }) }))
  .addSuccess(
    Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "application/x-ndjson" }))
  )

export class BackendApi
  extends HttpApi.make("backend").add(HttpApiGroup.make("chain").add(price).add(transfers))
{}
