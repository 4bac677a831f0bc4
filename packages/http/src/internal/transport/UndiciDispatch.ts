/** A transport over a dispatcher of Undici: one callback for each request, and no fiber, stream or promise. */
import type * as Undici from "@effect/platform-node/Undici"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Zlib from "node:zlib"
import { noTimer, startTimer } from "../Timer.ts"
import { BodyCollector, contentEncoding } from "./Bytes.ts"
import { type ResponseHeaders, safeHeaders } from "./SafeHeaders.ts"
import {
  isFramed,
  type ReceivedResponse,
  requestFailed,
  responseFailed,
  type ResponseHead,
  type Transport,
  type TransportError,
  type TransportOptions,
  type TransportRequest,
  TransportTimeout,
  undecodableBody
} from "./Transport.ts"

export const fromDispatcher = (
  dispatcher: Undici.Dispatcher,
  { maxBodySize, userAgent }: TransportOptions
): Transport => ({
  send: (request, timeoutMillis) =>
    Effect.withFiberRuntime((fiber) => {
      const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
      const handler = new ResponseHandler(request, maxBodySize)
      const response = Effect.async<ReceivedResponse, TransportError>((resume) => {
        handler.start(resume, clock, timeoutMillis)
        try {
          dispatcher.dispatch(dispatchOptions(request, userAgent), handler)
        } catch (cause) {
          // An interceptor may throw.
          handler.failWith(cause)
        }
      })
      // The finalizer of `Effect.async` is not run if the fiber is interrupted while the request is dispatched.
      return Effect.onInterrupt(response, () => Effect.sync(() => handler.cancel()))
    })
})

const dispatchOptions = (
  { apiKey, body, method, url }: TransportRequest,
  userAgent: string
): Undici.Dispatcher.DispatchOptions => {
  const pathStart = url.indexOf("/", "https://".length)
  const headers = ["accept", "application/json", "user-agent", userAgent]
  if (Redacted.value(apiKey) !== "") headers.push("x-api-key", Redacted.value(apiKey))
  if (body !== null) headers.push("content-type", "application/json")
  return {
    origin: url.slice(0, pathStart),
    path: url.slice(pathStart),
    method,
    headers,
    body,
    // The timeout of the request covers everything.
    headersTimeout: 0,
    bodyTimeout: 0
  }
}

/** The reason with which a request is aborted. Constant, because an error costs a stack trace. */
const aborted = new Error("the request was cancelled")

/** One request and its response. Calls `resume` at most once, and never after `cancel`. */
class ResponseHandler implements Undici.Dispatcher.DispatchHandler {
  private readonly request: Pick<TransportRequest, "apiKey" | "isObsolete" | "weightHeader">
  private resume: (result: Exit.Exit<ReceivedResponse, TransportError>) => void = () => {}
  private isOver = false
  private stopTimer = noTimer
  /** Set from when the request is written to a connection until the response has ended. */
  private controller: Undici.Dispatcher.DispatchController | null = null
  /** Null until the response begins. */
  private head: ResponseHead | null = null
  private headers: ResponseHeaders = {}
  /** The body, if its length is known. */
  private body: Uint8Array | null = null
  private length = 0
  /** A body of unknown length, and the memory of any. */
  private readonly collector: BodyCollector
  private decompressor: Decompressor | null = null

  constructor(request: TransportRequest, maxBodySize: number) {
    this.request = request
    this.collector = new BodyCollector(request.memory, maxBodySize)
  }

  start(
    resume: (result: Exit.Exit<ReceivedResponse, TransportError>) => void,
    clock: Clock.Clock,
    timeoutMillis: number
  ): void {
    this.resume = resume
    this.stopTimer = startTimer(
      clock,
      timeoutMillis,
      () => this.fail(new TransportTimeout({ sent: this.isSent() }))
    )
  }

  /** Releases everything that the handler holds, also the body: closures of Effect keep handlers until a full collection. */
  cancel(): void {
    if (this.isOver) return
    this.isOver = true
    this.stopTimer()
    this.collector.release()
    this.decompressor?.destroy()
    this.controller?.abort(aborted)
    this.controller = null
    this.body = null
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    if (this.request.isObsolete()) this.failWith(aborted)
    this.controller = controller
    if (this.isOver) controller.abort(aborted)
  }

  onResponseStart(
    _controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders
  ): void {
    const isInformational = status < 200
    if (this.isOver || isInformational) return
    this.head = { status, headers: safeHeaders(headers, this.request) }
    this.headers = headers
    const contentLength = Number(headers["content-length"] ?? Number.NaN)
    const isKnown = Number.isSafeInteger(contentLength)
    const error = this.collector.check(contentLength, this.head) ??
      (isKnown ? this.collector.reserve(contentLength, this.head) : null)
    if (error !== null) return this.fail(error)
    if (isKnown) this.body = new Uint8Array(Buffer.allocUnsafeSlow(contentLength).buffer)
  }

  onResponseData(_controller: Undici.Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver || this.head === null) return
    if (this.body === null) return this.append(chunk, this.head)
    this.body.set(chunk, this.length)
    this.length += chunk.byteLength
  }

  onResponseEnd(): void {
    if (this.isOver || this.head === null) return
    // The connection is free for other requests.
    this.controller = null
    const bytes = this.received()
    const encoding = contentEncoding(this.headers, bytes)
    return encoding === null
      ? this.succeed(bytes, this.head)
      : this.decompress(bytes, decompressors[encoding](), encoding, this.head)
  }

  onResponseError(_controller: Undici.Dispatcher.DispatchController, cause: Error): void {
    this.failWith(cause)
  }

  failWith(cause: unknown): void {
    this.fail(this.head === null ? requestFailed(cause, this.isSent()) : responseFailed(cause))
  }

  private isSent(): boolean {
    return this.controller !== null || this.head !== null
  }

  private decompress(
    bytes: Uint8Array,
    decompressor: Decompressor,
    encoding: string,
    head: ResponseHead
  ): void {
    this.decompressor = decompressor
    this.body = null
    decompressor.on("data", (chunk: Buffer) => this.append(chunk, head))
    decompressor.on("error", () => this.fail(undecodableBody(head, encoding)))
    decompressor.on("end", () => this.succeed(this.received(), head))
    decompressor.end(bytes)
  }

  private append(chunk: Uint8Array, head: ResponseHead): void {
    const error = this.collector.append(chunk, head)
    if (error !== null) this.fail(error)
  }

  private received(): Uint8Array {
    if (this.body === null) return this.collector.take()
    // Over HTTP/2, a response to which HTTP gives no body (304) may have a length. Over HTTP/1, Undici fails it.
    return this.length === this.body.byteLength ? this.body : this.body.slice(0, this.length)
  }

  private succeed(bytes: Uint8Array, head: ResponseHead): void {
    const framed = isFramed(this.headers, bytes.byteLength)
    this.finish(Exit.succeed({ status: head.status, headers: head.headers, bytes, framed }))
  }

  private fail(error: TransportError): void {
    this.finish(Exit.fail(error))
  }

  private finish(result: Exit.Exit<ReceivedResponse, TransportError>): void {
    if (this.isOver) return
    this.cancel()
    this.resume(result)
  }
}

type Decompressor = Zlib.Gunzip | Zlib.BrotliDecompress

const decompressors = { gzip: Zlib.createGunzip, br: Zlib.createBrotliDecompress }
