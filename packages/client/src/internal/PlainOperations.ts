/** The functions of a client, by the operations that they call. */
import type { ListOperation, Operation } from "@blockquarry/core/Operation"
import type { ListOperationFunction, OperationFunction } from "../OperationFunction.ts"
import type { Plain } from "./Plain.ts"

/** The functions that call the operations `Ops`, with the comments of `Ops`. */
export type PlainOperations<Ops> = { readonly [Id in keyof Ops]: FunctionOf<Ops[Id]> }

// oxlint-disable-next-line typescript/no-explicit-any -- the decoded input and the encoded output are invariant
type FunctionOf<O> = O extends ListOperation<any, infer Input, infer Output, any, infer Item>
  ? ListOperationFunction<Input, Plain<Output>, Plain<Item>>
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  : O extends Operation<any, infer Input, infer Output, any> ? OperationFunction<Input, Plain<Output>>
  : never
