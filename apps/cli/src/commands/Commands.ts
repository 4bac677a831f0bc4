/** All commands, in the order of help. Each is loaded when it runs. */
import type { CommandSpec } from "../invocation/CommandSpec.ts"

type LoadCommand = () => Promise<CommandSpec>

export const commandLoaders: ReadonlyArray<LoadCommand> = [
  async () => (await import("./walletTransfers.ts")).walletTransfers,
  async () => (await import("./walletNftTrades.ts")).walletNftTrades,
  async () => (await import("./walletChains.ts")).walletChains,
  async () => (await import("./tokenTransfers.ts")).tokenTransfers,
  async () => (await import("./tokenOwners.ts")).tokenOwners,
  async () => (await import("./tokenPrice.ts")).tokenPrice,
  async () => (await import("./contractNfts.ts")).contractNfts,
  async () => (await import("./nftMetadata.ts")).nftMetadata,
  async () => (await import("./nftOwners.ts")).nftOwners,
  async () => (await import("./updateStreamStatus.ts")).updateStreamStatus,
  async () => (await import("./ledgerTransaction.ts")).ledgerTransaction,
  async () => (await import("./watch.ts")).watchWalletTransfers,
  async () => (await import("./watch.ts")).watchTokenTransfers,
  async () => (await import("./watch.ts")).watchWalletNftTrades,
  async () => (await import("./api.ts")).api,
  async () => (await import("./doctor.ts")).doctor,
  async () => (await import("./explain.ts")).explain,
  async () => (await import("./auth.ts")).authLogin,
  async () => (await import("./auth.ts")).authStatus,
  async () => (await import("./auth.ts")).authLogout,
  async () => (await import("./config.ts")).configGet,
  async () => (await import("./config.ts")).configSet,
  async () => (await import("./config.ts")).configUnset,
  async () => (await import("./config.ts")).configList,
  async () => (await import("./config.ts")).configPath,
  async () => (await import("./alias.ts")).aliasSet,
  async () => (await import("./alias.ts")).aliasUnset,
  async () => (await import("./alias.ts")).aliasList,
  async () => (await import("./sandboxServe.ts")).sandboxServe,
  async () => (await import("./completions.ts")).completions,
  async () => (await import("./man.ts")).man
]

/** Loads all commands. */
export const loadCommands = (): Promise<ReadonlyArray<CommandSpec>> =>
  Promise.all(commandLoaders.map((load) => load()))
