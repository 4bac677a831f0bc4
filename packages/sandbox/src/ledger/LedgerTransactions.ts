/**
 * Transactions of the ledger API: the genesis transaction, blocks of transactions, and pending transactions. Integers are
 * strings, as in the ledger's public API.
 */
import type { Hash } from "@blockquarry/core/Hash"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { headTime } from "./ChainConfigs.ts"
import { hashes, hexDigits } from "./Identifiers.ts"
import { makeRandom, type Random } from "./Random.ts"

type TransactionJson = { readonly [field: string]: JsonValue }

const blocks = 12

const payload = (name: string, types: ReadonlyArray<string>, ...args: ReadonlyArray<JsonValue>) => ({
  type: "entry_function_payload",
  function: name,
  type_arguments: types,
  arguments: args
})

/** Creates the fields of transactions of users. `bytes` and `text` are random, for each transaction and use. */
const makeUserFields = (
  { below, bigBelow, pick }: Random,
  bytes: (index: number, use: number) => string,
  text: (index: number) => string
) => {
  const signatures = (index: number): ReadonlyArray<TransactionJson> => {
    const [publicKey, signature] = [bytes(index, 0), `${bytes(index, 1)}${text(index * 8 + 2)}`]
    const ed25519 = { type: "ed25519_signature", public_key: publicKey, signature }
    return [
      ed25519,
      {
        type: "multi_ed25519_signature",
        public_keys: [publicKey, bytes(index, 3)],
        signatures: [signature],
        threshold: 1,
        bitmap: "0x80000000"
      },
      {
        type: "single_sender",
        public_key: { type: "secp256k1_ecdsa", value: `0x04${text(index * 8)}${text(index * 8 + 3)}` },
        signature: { type: "secp256k1_ecdsa", value: signature }
      },
      {
        type: "fee_payer_signature",
        sender: ed25519,
        secondary_signer_addresses: [],
        secondary_signers: [],
        fee_payer_address: bytes(index, 4),
        fee_payer_signer: ed25519
      }
    ]
  }
  const payloads = (index: number, amount: string): ReadonlyArray<TransactionJson> => [
    payload("0x1::coin::transfer", ["0x1::aptos_coin::AptosCoin"], bytes(index, 5), amount),
    payload("0x1::aptos_account::batch_transfer", [], [bytes(index, 5), bytes(index, 6)], [
      amount,
      "18446744073709551615"
    ]),
    payload(`${bytes(index, 7)}::採石場::записать`, [], "0x", { vec: [amount] }, true)
  ]
  const submitted = (index: number): TransactionJson => ({
    sender: bytes(index, 100),
    sequence_number: String(below(100_000)),
    max_gas_amount: "200000",
    gas_unit_price: String(100 + below(50)),
    expiration_timestamp_secs: below(4) === 0 ? "18446744073709551615" : String(headTime / 1000 + below(600)),
    payload: pick(payloads(index, String(bigBelow(2n ** 64n)))),
    signature: pick(signatures(index))
  })
  const event = (account: string): TransactionJson => ({
    guid: { creation_number: "2", account_address: account },
    sequence_number: String(below(1000)),
    type: "0x1::coin::WithdrawEvent",
    data: { amount: String(bigBelow(2n ** 64n)) }
  })
  const userFields = (index: number): TransactionJson => {
    const failed = below(5) === 0
    return {
      ...submitted(index),
      gas_used: String(5 + below(5000)),
      success: !failed,
      vm_status: failed
        ? "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006)"
        : "Executed successfully",
      changes: [{
        type: "write_resource",
        address: "0x1",
        state_key_hash: bytes(index, 5),
        data: { type: "0x1::coin::CoinStore<0x1::aptos_coin::AptosCoin>", data: { frozen: false } }
      }],
      events: failed ? [] : [event(bytes(index, 100))]
    }
  }
  return { submitted, userFields }
}

/** Creates the transactions of a network. */
export const makeLedgerTransactions = (seed: string, network: "mainnet" | "testnet") => {
  const name = `${seed}/ledger/${network}`
  const hash = hashes(`${name}/hash`)
  const text = hexDigits(`${name}/text`)
  const firstVersion = network === "mainnet" ? 2_800_000_000 : 6_700_000_000
  const all = new Map<Hash, TransactionJson>()
  const add = (index: number, document: TransactionJson): Hash => {
    all.set(hash(index), { hash: hash(index), ...document })
    return hash(index)
  }

  /** 32 bytes, for each transaction and use. */
  const bytes = (index: number, use: number): string => `0x${text(index * 8 + use)}`
  const { submitted, userFields } = makeUserFields(makeRandom(name), bytes, text)
  const committed = (index: number, version: number, time: number): TransactionJson => ({
    version: String(version),
    state_change_hash: bytes(index, 1),
    event_root_hash: bytes(index, 2),
    state_checkpoint_hash: null,
    gas_used: "0",
    success: true,
    vm_status: "Executed successfully",
    accumulator_root_hash: bytes(index, 3),
    changes: [],
    timestamp: `${time}000`
  })

  /** The transactions of each block, with the fields that others do not have. */
  const transactions: ReadonlyArray<
    readonly [type: string, fields: (index: number, block: number) => TransactionJson]
  > = [
    ["block_metadata_transaction", (index, block) => ({
      id: bytes(index, 4),
      epoch: "11213",
      round: String(40_000 + block),
      events: [],
      previous_block_votes_bitvec: [255, 127, 191, 1],
      proposer: bytes(0, 7),
      failed_proposer_indices: block % 3 === 0 ? [2] : []
    })],
    ["user_transaction", userFields],
    ["user_transaction", userFields],
    ["user_transaction", userFields],
    ["validator_transaction", () => ({ validator_transaction_type: "observed_jwk_update", events: [] })],
    ["state_checkpoint_transaction", (index) => ({ state_checkpoint_hash: bytes(index, 6) })],
    ["block_epilogue_transaction", () => ({
      block_end_info: { block_gas_limit_reached: false, block_output_limit_reached: false }
    })],
    // A variant that clients do not know
    ["time_lock_transaction", () => ({
      unlocks_at: "1780272000000000",
      inner: [{ type: "user_transaction", depth: 2 }]
    })]
  ]

  add(0, {
    type: "genesis_transaction",
    ...committed(0, 0, 0),
    timestamp: "0",
    payload: { type: "write_set_payload", write_set: { type: "direct_write_set", changes: [], events: [] } },
    events: []
  })
  const pending = add(1, { type: "pending_transaction", ...submitted(1) })
  // Some nodes omit the type of pending transactions
  add(2, submitted(2))
  for (let block = 0; block < blocks; block++) {
    transactions.forEach(([type, fields], rank) => {
      const nth = block * transactions.length + rank
      add(3 + nth, {
        type,
        ...committed(3 + nth, firstVersion + nth, headTime - (blocks - block) * 250),
        ...fields(3 + nth, block)
      })
    })
  }
  /** `user` is a committed user transaction. */
  return { byHash: all, user: hash(4), pending }
}
