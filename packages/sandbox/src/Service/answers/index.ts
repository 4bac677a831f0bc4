/** The answers to all eleven operations. */
import type { Answering } from "../World.ts"
import { contractNfts } from "./contractNfts.ts"
import { ledgerTransaction } from "./ledgerTransaction.ts"
import { nftMetadata } from "./nftMetadata.ts"
import { nftOwners } from "./nftOwners.ts"
import { tokenOwners } from "./tokenOwners.ts"
import { tokenPrice } from "./tokenPrice.ts"
import { tokenTransfers } from "./tokenTransfers.ts"
import { updateStreamStatus } from "./updateStreamStatus.ts"
import { walletChains } from "./walletChains.ts"
import { walletNftTrades } from "./walletNftTrades.ts"
import { walletTransfers } from "./walletTransfers.ts"

export const answers: ReadonlyArray<Answering> = [
  walletTransfers,
  tokenTransfers,
  contractNfts,
  nftOwners,
  walletNftTrades,
  tokenOwners,
  nftMetadata,
  tokenPrice,
  walletChains,
  updateStreamStatus,
  ledgerTransaction
]
