/** The classes of errors of calls. */
import type * as Core from "@blockquarry/core/OperationError"
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import {
  type BlockquarryError,
  type Named,
  namedError,
  type RequestErrorFields,
  type RequestSummary,
  type ResponseErrorFields,
  type ResponseSummary
} from "../BlockquarryError.ts"

/** The names of the errors of operations. */
export type ErrorName = ListOperationError["_tag"]

/** The fields of an error, with durations in milliseconds. */
export type ErrorFields<Name extends ErrorName> = AllFields<(typeof Core)[Name]["fields"]> extends infer All
  ? All extends ResponseErrorFields ? Extend<ResponseErrorFields, All>
  : All extends RequestErrorFields ? Extend<RequestErrorFields, All>
  : All
  : never

type AllFields<
  Fields extends Schema.Struct.Fields,
  Names extends keyof Fields = Exclude<keyof Fields, "_tag">
> = {
  readonly [K in Names]: FieldValue<Schema.Struct.Encoded<Fields>[K & keyof Schema.Struct.Encoded<Fields>]>
}

type FieldValue<T> = T extends ResponseSummary ? ResponseSummary
  : T extends RequestSummary ? RequestSummary
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Item>
  : T

type Extend<Shared, All> = [Exclude<keyof All, keyof Shared>] extends [never] ? Shared
  : Shared & Members<All, Exclude<keyof All, keyof Shared>>

type Members<T, Names extends keyof T> = { readonly [K in Names]: T[K] }

/** The options that set what an error is about, unless it says another. */
const settings = { AuthenticationError: "apiKey", NetworkError: "baseUrl" }

/** The fields with which an error is made: `setting` has a default. */
type NewErrorFields<Name extends ErrorName> = Name extends keyof typeof settings
  ? Omit<ErrorFields<Name>, "setting"> & { readonly setting?: string | null | undefined }
  : ErrorFields<Name>

const decode = Schema.decodeUnknownSync(ListOperationError)

/** The class of an error. */
export interface ErrorClass<Name extends ErrorName> {
  new(fields: NewErrorFields<Name>): BlockquarryError & ErrorFields<Name> & Named<Name>
}

/** Creates the class of an error of `@blockquarry/core` with the same name, fields and texts. */
export const callError = <const Name extends ErrorName>(name: Name): ErrorClass<Name> => {
  const defaults = Predicate.hasProperty(settings, name) ? { setting: settings[name] } : {}
  class CallError extends namedError(name) {
    constructor(fields: object) {
      const allFields = { ...defaults, ...Rec.filter({ ...fields }, Predicate.isNotUndefined) }
      super(decode({ _tag: name, ...allFields }), allFields)
    }
  }
  // `decode` throws if a field is missing or invalid.
  return CallError as new(fields: object) => BlockquarryError & ErrorFields<Name> & Named<Name>
}
