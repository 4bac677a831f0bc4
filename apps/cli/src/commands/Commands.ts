/** All commands, in the order of help. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { CommandSpec } from "../args/CommandSpec.ts"
import { contractNfts } from "./contractNfts.ts"
import { ledgerTransaction } from "./ledgerTransaction.ts"
import { nftMetadata } from "./nftMetadata.ts"
import { nftOwners } from "./nftOwners.ts"
import { sandboxServe } from "./sandboxServe.ts"
import { tokenOwners } from "./tokenOwners.ts"
import { tokenPrice } from "./tokenPrice.ts"
import { tokenTransfers } from "./tokenTransfers.ts"
import { updateStreamStatus } from "./updateStreamStatus.ts"
import { walletChains } from "./walletChains.ts"
import { walletNftTrades } from "./walletNftTrades.ts"
import { walletTransfers } from "./walletTransfers.ts"

export const commands: NonEmptyReadonlyArray<CommandSpec> = [
  walletTransfers,
  walletNftTrades,
  walletChains,
  tokenTransfers,
  tokenOwners,
  tokenPrice,
  contractNfts,
  nftMetadata,
  nftOwners,
  updateStreamStatus,
  ledgerTransaction,
  sandboxServe
]
