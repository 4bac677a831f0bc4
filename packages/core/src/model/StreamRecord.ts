/** Streams: webhook subscriptions to events on chains. */
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import { BooleanLike } from "../BooleanLike.ts"
import { Float } from "../Decimal.ts"
import { makeExample } from "../internal/example.ts"
import { narrowEncoded } from "../internal/narrow.ts"
import { describing, nullOr } from "../internal/nullable.ts"
import { oneOf, preprocess } from "../internal/scalar.ts"
import { Json } from "../Json.ts"
import type { Model } from "../Model.ts"
import { openEnum } from "../OpenEnum.ts"

/** The specification shows an object where upstreams return an array. Both decode to an array. */
const oneOrMany = <A, I>(item: Schema.Schema<A, I>): Schema.Schema<ReadonlyArray<A>, I | ReadonlyArray<I>> =>
  preprocess((input) => Arr.ensure(input), Schema.Array(Schema.Unknown)).pipe(
    Schema.compose(Schema.Array(item), { strict: false }),
    narrowEncoded<I | ReadonlyArray<I>>()
  )

const abiParameter = Schema.Struct({
  name: describing(Schema.String),
  type: describing(Schema.String),
  indexed: describing(BooleanLike),
  components: describing(Json),
  internalType: describing(Schema.String)
})

/** A parameter of a contract function or event. */
export interface AbiParameter extends Schema.Schema.Type<typeof abiParameter> {}

export interface AbiParameterEncoded extends Schema.Schema.Encoded<typeof abiParameter> {}

/** The schema of `AbiParameter`. */
export const AbiParameter: Model<AbiParameter, AbiParameterEncoded, typeof abiParameter.fields> = abiParameter

const abiItem = Schema.Struct({
  anonymous: describing(BooleanLike),
  constant: describing(BooleanLike),
  inputs: describing(oneOrMany(nullOr(AbiParameter))),
  name: describing(Schema.String),
  outputs: describing(oneOrMany(nullOr(AbiParameter))),
  payable: describing(BooleanLike),
  stateMutability: describing(Schema.String),
  type: describing(Schema.String),
  gas: describing(Float)
})

/** A function or event of a contract. */
export interface AbiItem extends Schema.Schema.Type<typeof abiItem> {}

export interface AbiItemEncoded extends Schema.Schema.Encoded<typeof abiItem> {}

/** The schema of `AbiItem`. */
export const AbiItem: Model<AbiItem, AbiItemEncoded, typeof abiItem.fields> = abiItem

const trigger = Schema.Struct({
  type: describing(Schema.String),
  contractAddress: describing(Schema.String),
  inputs: describing(Schema.Array(Json)),
  functionAbi: describing(AbiItem),
  topic0: describing(Schema.String),
  callFrom: describing(Schema.String)
})

/** A function of a contract that a stream calls, and whose result it sends. */
export interface StreamTrigger extends Schema.Schema.Type<typeof trigger> {}

export interface StreamTriggerEncoded extends Schema.Schema.Encoded<typeof trigger> {}

/** The schema of `StreamTrigger`. */
export const StreamTrigger: Model<StreamTrigger, StreamTriggerEncoded, typeof trigger.fields> = trigger

const statuses = ["active", "paused", "error", "terminated"] as const

/** The status of a stream. Only `active` streams process blocks. */
export const StreamStatus = oneOf("StreamStatus", ...statuses)

const struct = Schema.Struct({
  webhookUrl: describing(Schema.String),
  description: describing(Schema.String),
  tag: describing(Schema.String),
  topic0: describing(Schema.Array(Schema.String)),
  allAddresses: describing(BooleanLike),
  includeNativeTxs: describing(BooleanLike),
  includeContractLogs: describing(BooleanLike),
  includeInternalTxs: describing(BooleanLike),
  includeAllTxLogs: describing(BooleanLike),
  getNativeBalances: describing(oneOrMany(Schema.Struct({
    selectors: describing(Schema.Array(Schema.String)),
    type: describing(Schema.String)
  }))),
  abi: describing(oneOrMany(AbiItem)),
  advancedOptions: describing(oneOrMany(Schema.Struct({
    topic0: describing(Schema.String),
    filter: describing(Json),
    includeNativeTxs: describing(BooleanLike)
  }))),
  /** Hexadecimal chain IDs. */
  chainIds: describing(Schema.Array(Schema.String)),
  demo: describing(BooleanLike),
  triggers: describing(oneOrMany(StreamTrigger)),
  id: Schema.String,
  status: openEnum(...statuses),
  statusMessage: describing(Schema.String)
}).annotations({ identifier: "StreamRecord" })

/** A stream, as returned by the status update. */
export interface StreamRecord extends Schema.Schema.Type<typeof struct> {}

export interface StreamRecordEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `StreamRecord`. */
export const StreamRecord: Model<StreamRecord, StreamRecordEncoded, typeof struct.fields> = struct

/** Returns an example stream, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<StreamRecord> = {}): StreamRecord =>
  makeExample(StreamRecord, {
    id: "917803ca-37f1-492a-a927-beb8b2dab5d5",
    status: "active",
    webhookUrl: "https://example.com/webhook",
    description: "Transfers of a wallet",
    tag: "transfers",
    chainIds: ["0x1"]
  }, fields)
