/** The handlers of all operations. */
import { contractNfts } from "./operations/contractNfts.ts"
import { ledgerTransaction } from "./operations/ledgerTransaction.ts"
import { nftMetadata } from "./operations/nftMetadata.ts"
import { nftOwners } from "./operations/nftOwners.ts"
import { tokenOwners } from "./operations/tokenOwners.ts"
import { tokenPrice } from "./operations/tokenPrice.ts"
import { tokenTransfers } from "./operations/tokenTransfers.ts"
import { updateStreamStatus } from "./operations/updateStreamStatus.ts"
import { walletChains } from "./operations/walletChains.ts"
import { walletNftTrades } from "./operations/walletNftTrades.ts"
import { walletTransfers } from "./operations/walletTransfers.ts"
import type { OperationHandler } from "./SandboxContext.ts"

export const operationHandlers: ReadonlyArray<OperationHandler> = [
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
