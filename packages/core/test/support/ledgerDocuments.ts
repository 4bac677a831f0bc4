/**
 * Made-up responses of the ledger: every variant, kind of payload and kind of signature of @aptos-labs/ts-sdk 7.3.0
 * (2026-11-28), and those that only nodes have.
 */
import * as Predicate from "effect/Predicate"

export const documentHash = `0x${"ab".repeat(32)}`

const hex = (byte: string, length: number) => `0x${byte.repeat(length)}`
const maxUint64 = "18446744073709551615"

const entryFunction = {
  type: "entry_function_payload",
  function: "0x1::aptos_account::transfer",
  type_arguments: [],
  arguments: ["0x2", "18446744073709551615"]
}
const script = {
  type: "script_payload",
  code: { bytecode: "0xa11ceb0b", abi: { name: "main", params: ["&signer", "u64"], is_entry: true } },
  type_arguments: ["0x1::quarry_coin::QuarryCoin"],
  arguments: ["5", { vec: [] }, [["0x2"]]]
}
const multisig = { type: "multisig_payload", multisig_address: "0x77", transaction_payload: entryFunction }
const encrypted = {
  type: "encrypted_transaction_payload",
  encrypted_state: "encrypted",
  payload_hash: hex("01", 32),
  ciphertext: "0x0102",
  claimed_entry_fun: { module: "0x1::coin", name: "transfer" },
  encryption_epoch: "12"
}

const payloads: Readonly<Record<string, object>> = {
  "an entry function": entryFunction,
  "a script": script,
  "a multisig": multisig,
  "a multisig of a stored transaction": { type: "multisig_payload", multisig_address: "0x77" },
  "an encrypted": encrypted,
  "an encrypted, which failed": {
    ...encrypted,
    encrypted_state: "failed_decryption",
    claimed_entry_fun: null,
    decryption_failure_reason: "epoch"
  },
  "a decrypted": {
    ...encrypted,
    encrypted_state: "decrypted",
    decrypted_payload: multisig,
    decryption_nonce: "340282366920938463463374607431768211455"
  },
  "an unknown": { type: "future_payload", of: [{ a: null }] }
}

const ed25519 = { type: "ed25519_signature", public_key: hex("02", 32), signature: hex("03", 64) }
const singleKey = {
  type: "single_key_signature",
  public_key: { type: "secp256k1_ecdsa", value: hex("04", 65) },
  signature: { type: "secp256k1_ecdsa", value: hex("05", 64) }
}
const multiKey = {
  public_keys: [{ type: "keyless", value: "0x06" }, { type: "ed25519", value: hex("07", 32) }],
  signatures: [{ index: 1, signature: { type: "ed25519", value: hex("08", 64) } }],
  signatures_required: 1
}
const multiEd25519 = {
  type: "multi_ed25519_signature",
  public_keys: [hex("09", 32), hex("0a", 32)],
  signatures: [hex("0b", 64)],
  threshold: 1,
  bitmap: "0x80000000"
}
const multiAgent = {
  type: "multi_agent_signature",
  sender: ed25519,
  secondary_signer_addresses: ["0x3", "0x4"],
  secondary_signers: [singleKey, multiEd25519]
}

const signatures: Readonly<Record<string, object>> = {
  "ed25519": ed25519,
  "secp256k1": { ...ed25519, type: "secp256k1_ecdsa_signature" },
  "a single sender with one key": {
    type: "single_sender",
    public_key: { type: "secp256r1_ecdsa", value: hex("0c", 65) },
    signature: { type: "web_authn", value: "0x0d" }
  },
  "a single sender with many keys": { type: "single_sender", ...multiKey },
  "multi_ed25519": multiEd25519,
  "a multi-agent": multiAgent,
  "a fee payer": {
    ...multiAgent,
    type: "fee_payer_signature",
    fee_payer_address: "0x5",
    fee_payer_signer: { type: "multi_key_signature", ...multiKey }
  },
  "no account": { type: "no_account_signature" },
  "an unknown": { type: "future_signature", proofs: [[1, "2"]] }
}

const committed = {
  hash: documentHash,
  version: "2800000001",
  state_change_hash: hex("0e", 32),
  event_root_hash: hex("0f", 32),
  state_checkpoint_hash: null,
  gas_used: "7",
  success: true,
  vm_status: "Executed successfully",
  accumulator_root_hash: hex("10", 32),
  changes: [{
    type: "write_resource",
    address: "0x1",
    data: { type: "0x1::a::B", data: { value: maxUint64 } }
  }]
}
const timestamp = "1705147200000000"
const events = [{ guid: { creation_number: "3", account_address: "0x1" }, type: "0x1::a::E", data: { n: 1 } }]

const submitted = {
  hash: documentHash,
  sender: "0x1",
  sequence_number: "7",
  max_gas_amount: "1000",
  gas_unit_price: "100",
  expiration_timestamp_secs: maxUint64,
  payload: entryFunction,
  signature: ed25519
}

/** A committed transaction of a user. */
const userDocument = {
  type: "user_transaction",
  ...committed,
  ...submitted,
  replay_protection_nonce: null,
  events,
  timestamp
}

/** An orderless transaction: its nonce is 2^64 − 2. */
export const orderlessDocument = {
  ...userDocument,
  sequence_number: maxUint64,
  replay_protection_nonce: "18446744073709551614"
}

const named = (kind: string, of: Readonly<Record<string, object>>, member: string) =>
  Object.entries(of).map(([name, value]) =>
    [`${name} ${kind}`, { ...userDocument, [member]: value }] as const
  )

const genesis = { type: "genesis_transaction", ...committed, events }
const validator = { type: "validator_transaction", ...committed, events, timestamp }

/** The documents, with what is special about them. */
export const ledgerDocuments: ReadonlyArray<
  readonly [name: string, document: Readonly<Record<string, unknown>>]
> = [
  ["a pending transaction", { type: "pending_transaction", ...submitted }],
  ["a pending transaction without a type", submitted],
  ["an orderless transaction", orderlessDocument],
  ["an orderless pending transaction", {
    ...submitted,
    sequence_number: maxUint64,
    replay_protection_nonce: "0"
  }],
  ...named("payload", payloads, "payload"),
  ...named("signature", signatures, "signature"),
  ["a genesis transaction with changes", {
    ...genesis,
    payload: { type: "write_set_payload", write_set: { type: "direct_write_set", changes: [], events } }
  }],
  ["a genesis transaction with a script", {
    ...genesis,
    payload: { type: "write_set_payload", write_set: { type: "script_write_set", execute_as: "0x1", script } }
  }],
  ["a block metadata transaction", {
    type: "block_metadata_transaction",
    ...committed,
    id: hex("11", 32),
    epoch: "1",
    round: "2",
    events,
    previous_block_votes_bitvec: [255, 0],
    proposer: "0x6",
    failed_proposer_indices: [3],
    timestamp
  }],
  ["a state checkpoint", { type: "state_checkpoint_transaction", ...committed, timestamp }],
  ["a validator transaction", validator],
  ["a validator transaction with keys of an issuer", {
    ...validator,
    validator_transaction_type: "observed_jwk_update",
    quorum_certified_update: {
      update: { issuer: "https://issuer.example", version: 9, jwks: [{ kid: "a", alg: "RS256" }] },
      multi_sig: { signer_indices: [0, 2], sig: "0x12" }
    }
  }],
  ["a validator transaction with a transcript", {
    ...validator,
    validator_transaction_type: "dkg_result",
    dkg_transcript: { epoch: "4", author: "0x8", payload: "0x13" }
  }],
  ["a block epilogue", {
    type: "block_epilogue_transaction",
    ...committed,
    timestamp,
    block_end_info: {
      block_gas_limit_reached: false,
      block_output_limit_reached: false,
      block_effective_block_gas_units: 9,
      block_approx_output_size: 1234
    }
  }],
  ["a transaction of an unknown variant", {
    type: "future_transaction",
    hash: documentHash,
    of: [{ a: null }]
  }],
  ["a transaction with unknown members", {
    ...orderlessDocument,
    block_height: "5",
    proofs: { toString: null, of: [1.5, [], {}] }
  }]
]

/** Returns the members of a document that another one does not have, or has with another value. */
export const lostMembers = (document: unknown, other: unknown, path = ""): ReadonlyArray<string> => {
  if (!Predicate.isRecord(document) || !Predicate.isRecord(other)) {
    return JSON.stringify(document) === JSON.stringify(other) ? [] : [path]
  }
  return Object.keys(document).flatMap((name) => {
    const member = `${path}.${name}`
    return Object.hasOwn(other, name) ? lostMembers(document[name], other[name], member) : [member]
  })
}
