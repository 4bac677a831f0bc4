/**
 * The indexed-chain service in a box.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 */
export * as Ledger from "./Ledger.ts"

/**
 * @since 0.1.0
 */
export * as Sandbox from "./Sandbox.ts"

/**
 * @since 0.1.0
 */
export * as Server from "./Server.ts"
