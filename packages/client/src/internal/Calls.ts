/** Calls of operations as promises and async iterators. */
import { operationId } from "@blockquarry/core/ApiRequest"
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { allOperations } from "@blockquarry/core/Operations"
import type { ListOperationFunction } from "@blockquarry/http/ApiClient"
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
import { toPlain } from "./Plain.ts"
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
  const { close, iterate, run } = makeRunner(options, runtime, scope)

  const apis = {
    data: Option.getOrUndefined(Context.getOption(runtime.context, DataApi)),
    streams: Option.getOrUndefined(Context.getOption(runtime.context, StreamsApi)),
    ledger: Option.getOrUndefined(Context.getOption(runtime.context, LedgerApi))
  }

  /** Returns the client of an API. Throws if the API has no base URL. */
  const clientOf = (api: Api) => {
    const client = apis[api]
    if (client !== undefined) return client
    const reason = "missing; pass it to createClient, or baseUrl for all APIs"
    throw new ConfigurationError([{ option: `baseUrls.${api}`, reason }])
  }

  /** Returns the function of a call. What `send` throws, it rejects with. */
  const one = <Input, Output>(
    id: string,
    send: (input: Input, options: ListCallOptions) => Effect.Effect<Output, ListOperationError>
  ) =>
  async (input: Input, options?: CallOptions): Promise<Output> => {
    throwIfInvalid(id, options, callSchema)
    return await run(id, options?.signal, Effect.suspend(() => send(input, toCallOptions(options))))
  }

  /** Returns the function of all pages or records of a list. */
  const list = <Input, Value>(
    id: string,
    open: (input: Input, options: ListCallOptions) => Stream.Stream<Value, ListOperationError>
  ) =>
  (input: Input, options?: ListOptions): AsyncIterable<Value> =>
    iterate(id, options, Stream.suspend(() => open(input, toCallOptions(options))))

  const functions: Readonly<Record<string, unknown>> = Object.fromEntries(
    allOperations.map((operation: AnyOperation) => {
      const { api, id } = operation
      const operationOf = (): ListOperationFunction<unknown, unknown, unknown> =>
        Reflect.get(clientOf(api), id)
      const call = one(id, (input, options) => Effect.map(operationOf()(input, options), toPlain))
      return [
        id,
        isList(operation)
          ? Object.assign(call, {
            pages: list(id, (input, options) => Stream.map(operationOf().pages(input, options), toPlain)),
            items: list(id, (input, options) => Stream.map(operationOf().items(input, options), toPlain))
          })
          : call
      ]
    })
  )

  /** Returns what sends the requests of an API, and a request with the schema of its output. */
  const prepare = <A>(given: TypedRequest<unknown>, to: Schema.Schema<A>) => {
    const { api = "data", output, ...request } = { ...given }
    if (!Object.hasOwn(apis, api)) {
      throw invalidRequest("api", `expected one of ${Object.keys(apis).join(", ")}`)
    }
    if (output !== undefined && !isStandard(output)) {
      throw invalidRequest("output", "expected a Standard Schema, such as one of Zod, Valibot or ArkType")
    }
    return {
      send: clientOf(api).request,
      request: { ...request, output: output === undefined ? undefined : fromStandard(output, to) }
    }
  }

  const requestList = (end: "pages" | "items") =>
    list(operationId, (given: TypedRequest<unknown>, options): Stream.Stream<unknown, ListOperationError> => {
      const { request, send } = prepare(given, AnyPage)
      return send[end](request, options)
    })

  return {
    // Each value has the type that `Operations` states; `test/Client.test.ts` calls every operation.
    operations: functions as Operations,
    // The output has the type of the schema: that of the request or else that of JSON.
    request: Object.assign(
      one(
        operationId,
        (given: TypedRequest<unknown>, options): Effect.Effect<unknown, ListOperationError> => {
          const { request, send } = prepare(given, Schema.Unknown)
          return send(request, options)
        }
      ),
      { pages: requestList("pages"), items: requestList("items") }
    ) as RequestFunction,
    close
  }
}

/** Creates what runs the calls and lists of a client, until it is closed or its signal is aborted. */
const makeRunner = (
  options: ClientOptions,
  runtime: Runtime.Runtime<never>,
  scope: Scope.CloseableScope
) => {
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
  const iterate = <Value>(
    id: string,
    options: ListOptions | undefined,
    stream: Stream.Stream<Value, ListOperationError>
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
            yield value
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

  return { run, iterate, close: () => closeWith((operation) => new ClientClosedError(operation)) }
}

const invalidRequest = (parameter: string, reason: string): InvalidInputError =>
  new InvalidInputError({ operation: operationId, issues: [{ parameter, reason }] })

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
