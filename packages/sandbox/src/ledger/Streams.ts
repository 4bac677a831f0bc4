/** Stream records in the formats that upstreams return, at least one for each status. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { hexDigits, uuids } from "./Identifiers.ts"

type StreamJson = { readonly [field: string]: JsonValue }

const transferAbi: StreamJson = {
  anonymous: false,
  constant: false,
  inputs: [
    { name: "from", type: "address", indexed: true, components: null, internalType: "address" },
    { name: "to", type: "address", indexed: true, components: null, internalType: "address" },
    { name: "value", type: "uint256", indexed: false, components: null, internalType: "uint256" }
  ],
  name: "Transfer",
  outputs: [],
  payable: false,
  stateMutability: "nonpayable",
  type: "event",
  gas: 0
}

const balanceAbi: StreamJson = {
  anonymous: false,
  constant: true,
  inputs: [{ name: "owner", type: "address", indexed: false, components: null, internalType: "address" }],
  name: "balanceOf",
  outputs: [{ name: "", type: "uint256", components: null, internalType: "uint256" }],
  payable: false,
  stateMutability: "view",
  type: "function",
  gas: 29_000
}

const transferTopic = "Transfer(address,address,uint256)"

const defaults = {
  topic0: null,
  allAddresses: false,
  includeNativeTxs: false,
  includeContractLogs: false,
  includeInternalTxs: false,
  includeAllTxLogs: false,
  getNativeBalances: null,
  abi: null,
  advancedOptions: null,
  demo: false,
  triggers: null,
  statusMessage: "Stream is healthy and syncing"
}

/** Creates the streams of a seed. `active` is the ID of a stream with all fields. */
export const makeStreams = (
  seed: string
): { readonly all: ReadonlyArray<StreamJson>; readonly active: string } => {
  const id = uuids(`${seed}/stream`)
  const text = hexDigits(`${seed}/stream/tag`)
  const record = (index: number, tag: string, rest: StreamJson): StreamJson => ({
    webhookUrl: `https://hooks.example/streams/${text(index).slice(0, 12)}`,
    tag,
    ...defaults,
    ...rest,
    id: id(index)
  })
  const all = [
    record(0, "treasury", {
      description: "Transfers of the treasury, with balances",
      status: "active",
      topic0: [transferTopic],
      includeNativeTxs: true,
      includeContractLogs: true,
      getNativeBalances: [{ selectors: ["$from", "$to"], type: "tx" }],
      abi: [transferAbi],
      advancedOptions: [{
        topic0: transferTopic,
        filter: { gt: ["value", "9007199254740993"] },
        includeNativeTxs: true
      }],
      chainIds: ["0x1", "0x89"],
      triggers: [{
        type: "erc20transfer",
        contractAddress: "$contract",
        inputs: ["$to"],
        functionAbi: balanceAbi,
        topic0: transferTopic,
        callFrom: "$from"
      }]
    }),
    record(1, "monitor", {
      description: "Everything on one side chain; paused for the weekend",
      status: "paused",
      statusMessage: "Stream is paused",
      allAddresses: true,
      includeAllTxLogs: true,
      chainIds: ["0x2105"]
    }),
    record(2, "отчёты", {
      description: "Ежедневные отчёты — 日次レポート",
      status: "error",
      statusMessage: "Webhook answered 500 to every attempt of the last 24 hours",
      includeContractLogs: true,
      topic0: [transferTopic],
      abi: [transferAbi],
      chainIds: ["0x38", "0xa4b1"]
    }),
    record(3, "old", {
      description: "Replaced by treasury",
      status: "terminated",
      statusMessage: "Stream is terminated",
      chainIds: ["0x1"]
    }),
    // Objects as in the specification, where other records have arrays
    record(4, "demo", {
      description: "",
      status: "active",
      topic0: [],
      demo: true,
      includeInternalTxs: true,
      getNativeBalances: { selectors: ["$to"], type: "tx" },
      abi: transferAbi,
      advancedOptions: { topic0: transferTopic, includeNativeTxs: false },
      chainIds: ["0xaa36a7"],
      triggers: {
        type: "tx",
        contractAddress: "$contract",
        inputs: [],
        functionAbi: balanceAbi,
        topic0: transferTopic,
        callFrom: "$from"
      }
    })
  ]
  return { all, active: id(0) }
}
