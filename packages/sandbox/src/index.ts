/**
 * Sandbox of the blockchain data APIs, with consistent synthetic data.
 *
 * @since 0.1.0
 */
export * as Ledger from "./Ledger.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Server from "./Server.ts"
