/** The functions of a client, by the operations that they call. */
import type { AnyOperation, ListPagination } from "@blockquarry/core/Operation"
import type * as Schema from "effect/Schema"
import type { ListOperationFunction, OperationFunction } from "../OperationFunction.ts"
import type { Plain } from "./Plain.ts"

/** The functions that call the operations `Ops`, with the comments of `Ops`. */
export type PlainOperations<Ops> = { readonly [Id in keyof Ops]: FunctionOf<Ops[Id]> }

type FunctionOf<O> = O extends AnyOperation
  ? O extends { readonly pagination: ListPagination<infer Item> } ? ListOperationFunction<
      Schema.Schema.Encoded<O["input"]>,
      Plain<Schema.Schema.Type<O["output"]>>,
      Plain<Item>
    >
  : OperationFunction<Schema.Schema.Encoded<O["input"]>, Plain<Schema.Schema.Type<O["output"]>>>
  : never
