/**
 * Clients: a record of operations as a record of functions.
 *
 * @since 0.1.0
 */
import { isWalkCursor } from "@blockquarry/core/Cursor"
import { type AnyOperation, isList, type ListOperation, type Operation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import { InvalidRequest, type QueryError, type WalkError } from "@blockquarry/core/QueryError"
import { readInput } from "@blockquarry/core/Wire"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EngineService } from "./Engine.ts"
import type { Target } from "./Target.ts"
import * as Walk from "./Walk.ts"
import type { WalkOptions } from "./Walk.ts"
import * as Question from "./Walk/Question.ts"

/**
 * One question, one answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ask<in Input, out Output> {
  (input: Input): Effect.Effect<Output, QueryError>
}

/**
 * A list: one page, all pages, or all records.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskList<in Input, out Output, out Item> extends Ask<Input, Output> {
  /** Every page to the end of the list. The `cursor` of each continues after it, and is null on the last. */
  readonly pages: (input: Input, options?: WalkOptions) => Stream.Stream<Output, WalkError>
  /** Every record to the end of the list, one chunk for each page. */
  readonly items: (input: Input, options?: WalkOptions) => Stream.Stream<Item, WalkError>
}

/**
 * How an operation is asked.
 *
 * @since 0.1.0
 * @category models
 */
// `any` stands where the canonical input and the wire form are not looked at: an invariant parameter takes no `unknown`.
// oxlint-disable-next-line typescript/no-explicit-any
export type AskOf<O> = O extends ListOperation<any, infer Accepts, infer Output, any, infer Item> ?
  AskList<Accepts, Output, Item>
  // oxlint-disable-next-line typescript/no-explicit-any
  : O extends Operation<any, infer Accepts, infer Output, any> ? Ask<Accepts, Output>
  : never

/**
 * A client of the operations `Ops`.
 *
 * @since 0.1.0
 * @category models
 */
export type Client<Ops> = { readonly [Id in keyof Ops]: AskOf<Ops[Id]> }

/**
 * Makes a client: every operation asked through the engine at one target.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Ops extends Readonly<Record<string, AnyOperation>>>(
  operations: Ops,
  engine: EngineService,
  target: Target
): Client<Ops> =>
  // Each value is what `AskOf` says of its operation; `test/Client.test.ts` holds every one of the eleven to that.
  Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      isList(operation) ? askList(operation, engine, target) : ask(operation, engine, target)
    ])
  ) as Client<Ops>

const ask = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  engine: EngineService,
  target: Target
): Ask<Accepts, Output> => {
  const ask = engine.decoded(operation, target)
  return (input) => Effect.flatMap(readInput(operation, input), ask)
}

const askList = <I extends { readonly cursor?: string }, Accepts, Output extends Page<Item>, Wire, Item>(
  operation: ListOperation<I, Accepts, Output, Wire, Item>,
  engine: EngineService,
  target: Target
): AskList<Accepts, Output, Item> => {
  const question = Question.make(operation, engine.decoded(operation, target))
  const read = (input: Accepts) => readInput(operation, input)
  return Object.assign(
    (input: Accepts) =>
      Effect.flatMap(read(input), (input) =>
        input.cursor !== undefined && isWalkCursor(input.cursor)
          ? new InvalidRequest({ operation: operation.id, issues: [walkCursorOnly] })
          : question.ask(input)),
    {
      pages: (input: Accepts, options?: WalkOptions) =>
        Stream.unwrap(Effect.map(read(input), (input) => Walk.pages(question, input, options))),
      items: (input: Accepts, options?: WalkOptions) =>
        Stream.unwrap(Effect.map(read(input), (input) => Walk.items(question, input, options)))
    }
  )
}

const walkCursorOnly = {
  parameter: "cursor",
  problem: "this cursor continues a walk; give it to .pages or .items"
}
