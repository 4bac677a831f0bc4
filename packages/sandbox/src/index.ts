/**
 * Sandbox of the blockchain data APIs, with consistent synthetic data. The server, which needs Node.js, is not here: import
 * `@blockquarry/sandbox/Server`.
 */
export * as Ledger from "./Ledger.ts"
export * as Sandbox from "./Sandbox.ts"
