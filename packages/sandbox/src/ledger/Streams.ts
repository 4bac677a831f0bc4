/** The stream of the sandbox, with all fields, in the format that upstreams return. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { hexDigits, uuids } from "./Identifiers.ts"

const transferAbi: JsonValue = {
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

const balanceAbi: JsonValue = {
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

/** Creates the stream of a seed. */
export const makeStream = (seed: string) => ({
  webhookUrl: `https://hooks.example/streams/${hexDigits(`${seed}/stream/tag`)(0).slice(0, 12)}`,
  tag: "treasury",
  topic0: [transferTopic],
  allAddresses: false,
  includeNativeTxs: true,
  includeContractLogs: true,
  includeInternalTxs: false,
  includeAllTxLogs: false,
  getNativeBalances: [{ selectors: ["$from", "$to"], type: "tx" }],
  abi: [transferAbi],
  advancedOptions: [{
    topic0: transferTopic,
    filter: { gt: ["value", "9007199254740993"] },
    includeNativeTxs: true
  }],
  demo: false,
  triggers: [{
    type: "erc20transfer",
    contractAddress: "$contract",
    inputs: ["$to"],
    functionAbi: balanceAbi,
    topic0: transferTopic,
    callFrom: "$from"
  }],
  statusMessage: "Stream is healthy and syncing",
  description: "Transfers of the treasury, with balances",
  status: "active",
  chainIds: ["0x1", "0x89"],
  id: uuids(`${seed}/stream`)(0)
})
