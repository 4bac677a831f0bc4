/** All commands by their names, in the order of help. Each is loaded when it runs. */
import type { CommandSpec } from "../invocation/CommandSpec.ts"
import { operationCommands } from "./OperationCommands.ts"

type LoadCommand = () => Promise<CommandSpec>

export const commandLoaders: Readonly<Record<string, LoadCommand>> = {
  ...operationCommands,
  "watch wallet transfers": async () => (await import("./watch.ts")).watchWalletTransfers,
  "watch token transfers": async () => (await import("./watch.ts")).watchTokenTransfers,
  "watch wallet nft-trades": async () => (await import("./watch.ts")).watchWalletNftTrades,
  api: async () => (await import("./api.ts")).api,
  doctor: async () => (await import("./doctor.ts")).doctor,
  "auth login": async () => (await import("./auth.ts")).authLogin,
  "auth status": async () => (await import("./auth.ts")).authStatus,
  "auth logout": async () => (await import("./auth.ts")).authLogout,
  "config get": async () => (await import("./config.ts")).configGet,
  "config set": async () => (await import("./config.ts")).configSet,
  "config unset": async () => (await import("./config.ts")).configUnset,
  "config list": async () => (await import("./config.ts")).configList,
  "config path": async () => (await import("./config.ts")).configPath,
  "alias set": async () => (await import("./alias.ts")).aliasSet,
  "alias unset": async () => (await import("./alias.ts")).aliasUnset,
  "alias list": async () => (await import("./alias.ts")).aliasList,
  "sandbox serve": async () => (await import("./sandboxServe.ts")).sandboxServe,
  completions: async () => (await import("./completions.ts")).completions,
  man: async () => (await import("./man.ts")).man
}

export const loadCommands = (): Promise<ReadonlyArray<CommandSpec>> =>
  Promise.all(Object.values(commandLoaders).map((load) => load()))
