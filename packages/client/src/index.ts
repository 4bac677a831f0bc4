/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A client of indexed blockchain data APIs with promises and async iterators.
 *
 * @since 0.1.0
 */
export * from "./Amount.ts"
export type * from "./Chain.ts"
export * from "./Client.ts"
export * from "./Errors.ts"
export type * from "./Inputs.ts"
export * from "./Json.ts"
export type * from "./Model.ts"
export * from "./Models.ts"
export type * from "./OperationFunction.ts"
export type * from "./Operations.ts"
export type * from "./Options.ts"
export type * from "./Page.ts"
export type * from "./Values.ts"
