/** Calls of operations as promises and async iterators. */
import { operationId } from "@blockquarry/core/ApiRequest"
import { isList } from "@blockquarry/core/Operation"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { allOperations } from "@blockquarry/core/Operations"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import { DataApi } from "@blockquarry/http/DataApi"
import { optionIssues } from "@blockquarry/http/gateway/Options"
import { LedgerApi } from "@blockquarry/http/LedgerApi"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import { StreamsApi } from "@blockquarry/http/StreamsApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  AbortError,
  ClientClosedError,
  type ClientError,
  ConfigurationError,
  InvalidInputError
} from "../Errors.ts"
import type { Operations } from "../Operations.ts"
import type { CallOptions, ClientOptions, ListOptions } from "../Options.ts"
import type { RequestFunction, TypedRequest } from "../Request.ts"
import { AnyPage, fromStandard, isStandard } from "./fromStandard.ts"
import { onAbort } from "./onAbort.ts"
import { type Plain, toPlain } from "./Plain.ts"
import {
  type Api,
  callSchema,
  listSchema,
  resolveOptions,
  throwIfAny,
  toCallOptions
} from "./resolveOptions.ts"
import { toClientError } from "./toClientError.ts"

/** Creates the functions of one client. Throws a `ConfigurationError` if an option is invalid. */
export const make = (options: ClientOptions) => {
  const { shared, ...selected } = resolveOptions(options)
  const scope = Effect.runSync(Scope.make())
  const runtime = buildRuntime(Blockquarry.layerConfig({ ...shared, ...selected }), options.fetch, scope)
  const runFork = Runtime.runFork(runtime)

  /** The error of calls after `close`, or after the signal of the client was aborted. */
  let closedError: ((operation: string) => ClientError) | null = null
  let closing: Promise<void> | undefined
  const closeWith = (error: (operation: string) => ClientError): Promise<void> => {
    if (closing === undefined) {
      closedError = error
      stopListening()
      closing = Effect.runPromise(Scope.close(scope, Exit.void))
    }
    return closing
  }
  const abort = () => void closeWith((operation) => new AbortError(operation, options.signal?.reason))
  const stopListening = onAbort(options.signal, abort)
  if (options.signal?.aborted === true) abort()

  /** Returns the error of calls that start now, if the client is closed or the signal is aborted. */
  const endedError = (id: string, signal: AbortSignal | undefined): ClientError | null =>
    closedError?.(id) ?? (signal?.aborted === true ? new AbortError(id, signal.reason) : null)

  const throwIfEnded = (id: string, signal: AbortSignal | undefined): void => {
    const ended = endedError(id, signal)
    if (ended !== null) throw ended
  }

  /** Runs an effect until the signal is aborted or the client is closed. */
  const run = async <A>(
    id: string,
    signal: AbortSignal | undefined,
    effect: Effect.Effect<A, ListOperationError>
  ): Promise<A> => {
    throwIfEnded(id, signal)
    const fiber = runFork(effect, { scope })
    const stopListening = onAbort(signal, () => fiber.unsafeInterruptAsFork(FiberId.none))
    const exit = await new Promise<Exit.Exit<A, ListOperationError>>((resolve) => fiber.addObserver(resolve))
    stopListening()
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.failureOption(exit.cause)
    // Made here, so that its stack is that of the call
    if (Option.isSome(failure)) throw toClientError(failure.value, options)
    throw endedError(id, signal) ?? Cause.squash(exit.cause)
  }

  /** Iterates over a stream. Each iteration starts anew, and ends what it started when it ends. */
  const iterate = <A, Value>(
    id: string,
    options: ListOptions | undefined,
    stream: Stream.Stream<A, ListOperationError>,
    toValue: (value: A) => Value
  ): AsyncIterable<Value> => ({
    async *[Symbol.asyncIterator]() {
      throwIfInvalid(id, options, listSchema)
      const signal = options?.signal
      const iteration = Effect.runSync(Scope.fork(scope, ExecutionStrategy.sequential))
      let ending: Promise<void> | undefined
      const end = () => ending ??= Effect.runPromise(Scope.close(iteration, Exit.void))
      let stopListening = () => {}
      try {
        const pull = await run(id, signal, Scope.extend(Stream.toPull(stream), iteration))
        // Pages that are fetched ahead are in flight also while the program uses a record, or has abandoned the iterator.
        stopListening = onAbort(signal, () => void end())
        const next = Effect.catchAll(
          pull,
          Option.match({ onNone: () => Effect.succeed(null), onSome: Effect.fail })
        )
        for (;;) {
          const chunk = await run(id, signal, next)
          for (const value of chunk ?? []) {
            yield toValue(value)
            throwIfEnded(id, signal)
          }
          if (chunk === null) return throwIfEnded(id, signal)
        }
      } finally {
        stopListening()
        await end()
      }
    }
  })

  /** Returns the function that calls an operation. The operation is undefined if its API has no base URL. */
  const one = <Input, Output>(
    api: Api,
    id: string,
    operation: OperationFunction<Input, Output> | undefined
  ) =>
  async (input: Input, options?: CallOptions): Promise<Plain<Output>> => {
    throwIfInvalid(id, options, callSchema)
    return await run(
      id,
      options?.signal,
      operation === undefined
        ? Effect.die(missingBaseUrl(api))
        : Effect.suspend(() => Effect.map(operation(input, toCallOptions(options)), toPlain))
    )
  }

  /** Returns the function that calls a list operation. */
  const list = <Input, Output, Item>(
    api: Api,
    id: string,
    operation: ListOperationFunction<Input, Output, Item> | undefined
  ) => {
    const listOf = <A>(
      stream: ((input: Input, options: ListCallOptions) => Stream.Stream<A, ListOperationError>) | undefined
    ) =>
    (input: Input, options?: ListOptions) =>
      iterate(
        id,
        options,
        stream === undefined
          ? Stream.die(missingBaseUrl(api))
          : Stream.suspend(() => stream(input, toCallOptions(options))),
        toPlain<A>
      )
    return Object.assign(one(api, id, operation), {
      pages: listOf(operation?.pages),
      items: listOf(operation?.items)
    })
  }

  const apis = {
    data: Option.getOrUndefined(Context.getOption(runtime.context, DataApi)),
    streams: Option.getOrUndefined(Context.getOption(runtime.context, StreamsApi)),
    ledger: Option.getOrUndefined(Context.getOption(runtime.context, LedgerApi))
  }

  /** Returns what sends the requests of an API, and a request with the schema of its output. */
  const prepare = <A>(given: TypedRequest<unknown>, to: Schema.Schema<A>) => {
    const { api = "data", output, ...request } = { ...given }
    if (!Object.hasOwn(apis, api)) {
      const reason = `expected one of ${Object.keys(apis).join(", ")}`
      throw new InvalidInputError({ operation: operationId, issues: [{ parameter: "api", reason }] })
    }
    if (output !== undefined && !isStandard(output)) {
      const reason = "expected a Standard Schema, such as one of Zod, Valibot or ArkType"
      throw new InvalidInputError({ operation: operationId, issues: [{ parameter: "output", reason }] })
    }
    const client = apis[api]
    if (client === undefined) throw missingBaseUrl(api)
    return {
      send: client.request,
      request: { ...request, output: output === undefined ? undefined : fromStandard(output, to) }
    }
  }

  const request = async (given: TypedRequest<unknown>, options?: CallOptions): Promise<unknown> => {
    throwIfInvalid(operationId, options, callSchema)
    const { request, send } = prepare(given, Schema.Unknown)
    return await run(operationId, options?.signal, send(request, toCallOptions(options)))
  }
  const requestList = (end: "pages" | "items") => (given: TypedRequest<unknown>, options?: ListOptions) => {
    const stream = Stream.suspend((): Stream.Stream<unknown, ListOperationError> => {
      const { request, send } = prepare(given, AnyPage)
      return send[end](request, toCallOptions(options))
    })
    return iterate(operationId, options, stream, identity)
  }

  const functions: Readonly<Record<string, unknown>> = Object.fromEntries(allOperations.map((operation) => {
    const { api, id } = operation
    const send = Reflect.get({ ...apis[api] }, id)
    return [id, isList(operation) ? list(api, id, send) : one(api, id, send)]
  }))

  return {
    // Each value has the type that `Operations` states; `test/Client.test.ts` calls every operation.
    operations: functions as Operations,
    // The output has the type of the schema: that of the request or else that of JSON.
    request: Object.assign(request, {
      pages: requestList("pages"),
      items: requestList("items")
    }) as RequestFunction,
    close: () => closeWith((operation) => new ClientClosedError(operation))
  }
}

const throwIfInvalid = (
  operation: string,
  options: CallOptions | undefined,
  schema: typeof callSchema | typeof listSchema
): void => {
  const issues = optionIssues(schema, options)
    .map(({ path, reason }) => ({ parameter: path.join("."), reason }))
  if (issues.length > 0) throw new InvalidInputError({ operation, issues })
}

/** Builds the clients of the APIs, which need nothing asynchronous. They log nothing and read no environment variable. */
const buildRuntime = (
  apis: Layer.Layer<never, ConfigError, HttpClient.HttpClient>,
  fetch: ClientOptions["fetch"],
  scope: Scope.Scope
): Runtime.Runtime<never> => {
  const send = fetch &&
    (async (...request: Parameters<typeof fetch>) =>
      await fetch(...request) ?? Promise.reject(new TypeError("fetch returned no Response")))
  const layer = apis.pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.merge(send === undefined ? Layer.empty : Layer.succeed(FetchHttpClient.Fetch, send)),
    Layer.provideMerge(Layer.merge(
      Logger.remove(Logger.defaultLogger),
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map()))
    ))
  )
  const exit = Effect.runSyncExit(Scope.extend(Layer.toRuntime(layer), scope))
  if (Exit.isSuccess(exit)) return exit.value
  throwIfAny([...Cause.failures(exit.cause)].flatMap(issuesOf))
  throw Cause.squash(exit.cause)
}

const issuesOf = (error: ConfigError): ConfigurationError["issues"] => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...issuesOf(error.left), ...issuesOf(error.right)]
    default:
      return [{ option: error.path.join("."), reason: error.message }]
  }
}

const missingBaseUrl = (api: Api): ConfigurationError =>
  new ConfigurationError([{
    option: `baseUrls.${api}`,
    reason: "missing; pass it to createClient, or baseUrl for all APIs"
  }])
