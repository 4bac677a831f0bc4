/**
 * Transactions of the ledger, in every variant that the API of an Aptos node documents.
 *
 * The first variant (`pending_transaction`) is the one in the specification; `type` may be absent. Fields of the other
 * variants with a flat structure are modelled; nested structures are `Json`. A transaction, its payload and its signature
 * keep the members that have no field, so that encoding a decoded transaction loses none.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Uint64 } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Hash, make as makeHash } from "../Hash.ts"
import { exampleTransactionHash, makeExample } from "../internal/example.ts"
import { allowMissing, withTypes } from "../internal/narrow.ts"
import { describing, nullable } from "../internal/nullable.ts"
import { DecodeId, EncodeId, scalar } from "../internal/scalar.ts"
import { isJson, Json } from "../Json.ts"
import type { JsonValue } from "../LosslessJson.ts"

/** A struct that keeps members without a field, as they are. */
const open = <F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotations({
    parseOptions: { onExcessProperty: "preserve", propertyOrder: "original" }
  })

const payload = open({
  type: describing(Schema.String),
  function: describing(Schema.String),
  type_arguments: describing(Schema.Array(Schema.String)),
  /** The submitted arguments: strings, and for some payloads objects and nested arrays. */
  arguments: describing(Schema.Array(Json))
})

/** What a transaction executes. The members that kinds other than an entry function have are JSON. */
export interface TransactionPayload extends Schema.Schema.Type<typeof payload> {
  readonly [member: string]: JsonValue
}

const signature = open({
  type: describing(Schema.String),
  signature: nullable(Json),
  public_key: nullable(Json)
})

/** Who signed a transaction. The members that kinds with several keys or signers have are JSON. */
export interface TransactionSignature extends Schema.Schema.Type<typeof signature> {
  readonly [member: string]: JsonValue
}

const submittedFields = {
  hash: Hash,
  sender: nullable(Schema.String),
  sequence_number: nullable(Uint64),
  /** Identifies an orderless transaction, whose `sequence_number` is 2^64 − 1. Else null. */
  replay_protection_nonce: nullable(Uint64),
  max_gas_amount: nullable(Uint64),
  gas_unit_price: nullable(Uint64),
  expiration_timestamp_secs: nullable(Uint64),
  payload: describing(withTypes<TransactionPayload, Schema.Schema.Encoded<typeof payload>>()(payload)),
  signature: describing(withTypes<TransactionSignature, Schema.Schema.Encoded<typeof signature>>()(signature))
}

const committedFields = {
  hash: Hash,
  version: nullable(Uint64),
  state_change_hash: nullable(Schema.String),
  event_root_hash: nullable(Schema.String),
  state_checkpoint_hash: nullable(Schema.String),
  gas_used: nullable(Uint64),
  success: nullable(BooleanLike),
  vm_status: describing(Schema.String),
  accumulator_root_hash: nullable(Schema.String),
  changes: describing(Schema.Array(Json)),
  /** Microseconds since 1970. */
  timestamp: nullable(Uint64)
}

const events = describing(Schema.Array(Json))

const PendingType = Schema.Literal("pending_transaction")
const isPendingType = Schema.is(PendingType)

/** Absent and null mean pending. */
const pendingType = allowMissing(Schema.propertySignature(
  Schema.transform(Schema.NullishOr(PendingType), PendingType, {
    decode: (type) => type ?? "pending_transaction",
    encode: (type) => type
  }).annotations({
    [DecodeId]: (input: unknown) =>
      isPendingType(input ?? "pending_transaction") ? "pending_transaction" : undefined,
    [EncodeId]: (type: unknown) => isPendingType(type) ? type : undefined
  })
))

const pending = open({
  type: pendingType,
  ...submittedFields
})
const user = open({
  type: Schema.Literal("user_transaction"),
  ...committedFields,
  ...submittedFields,
  events
})
const genesis = open({
  type: Schema.Literal("genesis_transaction"),
  ...committedFields,
  payload: describing(Json),
  events
})
const blockMetadata = open({
  type: Schema.Literal("block_metadata_transaction"),
  ...committedFields,
  id: nullable(Schema.String),
  epoch: nullable(Uint64),
  round: nullable(Uint64),
  events,
  previous_block_votes_bitvec: describing(Json),
  proposer: nullable(Schema.String),
  failed_proposer_indices: describing(Json)
})
const stateCheckpoint = open({
  type: Schema.Literal("state_checkpoint_transaction"),
  ...committedFields
})
const validator = open({ type: Schema.Literal("validator_transaction"), ...committedFields, events })
const blockEpilogue = open({
  type: Schema.Literal("block_epilogue_transaction"),
  ...committedFields,
  block_end_info: describing(Json)
})

/** A transaction that is submitted but not yet committed: the variant in the specification. */
export interface PendingTransaction extends Schema.Schema.Type<typeof pending> {}

/** A committed user transaction. */
export interface UserTransaction extends Schema.Schema.Type<typeof user> {}

/** The first transaction of a ledger. */
export interface GenesisTransaction extends Schema.Schema.Type<typeof genesis> {}

/** The transaction that starts a block. */
export interface BlockMetadataTransaction extends Schema.Schema.Type<typeof blockMetadata> {}

/** A checkpoint of the ledger state. */
export interface StateCheckpointTransaction extends Schema.Schema.Type<typeof stateCheckpoint> {}

/** A transaction of a validator. */
export interface ValidatorTransaction extends Schema.Schema.Type<typeof validator> {}

/** The transaction that ends a block. */
export interface BlockEpilogueTransaction extends Schema.Schema.Type<typeof blockEpilogue> {}

const knownVariants = [user, genesis, blockMetadata, stateCheckpoint, validator, blockEpilogue] as const

/** The types of the variants that never change. */
export const committedTypes: ReadonlySet<unknown> = new Set(
  knownVariants.map((variant) => variant.fields.type.literals[0])
)

/** A transaction of an unknown variant. `document` is the complete record, including its original `type`. */
export interface OtherTransaction {
  readonly type: "other"
  readonly hash: Hash
  readonly document: JsonValue
}

const decodeHash = Schema.decodeUnknownOption(Hash)

const parseOther = (document: unknown): OtherTransaction | undefined => {
  if (!Predicate.isRecord(document) || !isJson(document)) return undefined
  const { type } = document
  if (typeof type !== "string" || isPendingType(type) || committedTypes.has(type)) return undefined
  return Option.getOrUndefined(
    Option.map(decodeHash(document["hash"]), (hash) => ({ type: "other", hash, document }))
  )
}

const otherTransaction = scalar<OtherTransaction, JsonValue>({
  identifier: "OtherTransaction",
  expected: "a transaction with a hash and a type",
  is: (input): input is OtherTransaction =>
    Predicate.isRecord(input) && input["type"] === "other" &&
    parseOther(input["document"])?.hash === input["hash"],
  decode: parseOther,
  encode: ({ document }) => document,
  arbitrary: (fc) =>
    fc.record({
      hash: fc.stringMatching(/^0x[0-9a-f]{64}$/).map(makeHash),
      type: fc.constantFrom("future_transaction", ""),
      of: fc.string()
    })
      .map((document): OtherTransaction => ({ type: "other", hash: document.hash, document })),
  jsonSchema: { type: "object", required: ["hash", "type"] }
})

/** A transaction of the ledger, discriminated by `type`. */
export type LedgerTransaction =
  | PendingTransaction
  | UserTransaction
  | GenesisTransaction
  | BlockMetadataTransaction
  | StateCheckpointTransaction
  | ValidatorTransaction
  | BlockEpilogueTransaction
  | OtherTransaction

const variants = Schema.Union(...knownVariants, pending, otherTransaction)
  .annotations({ identifier: "LedgerTransaction" })

export type LedgerTransactionEncoded = typeof variants.Encoded

/** The schema of `LedgerTransaction`. */
export const LedgerTransaction: Schema.Schema<LedgerTransaction, LedgerTransactionEncoded> = variants

/** Returns an example committed transaction of a user, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<UserTransaction> = {}): UserTransaction =>
  makeExample(user, {
    type: "user_transaction",
    hash: exampleTransactionHash,
    version: "1",
    gas_used: "7",
    success: true,
    vm_status: "Executed successfully",
    timestamp: "1705147200000000",
    sender: "0x1",
    sequence_number: "0",
    max_gas_amount: "1000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "1705147260"
  }, fields)
