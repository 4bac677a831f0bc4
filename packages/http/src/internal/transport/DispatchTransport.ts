/** The tag of a transport that sends without the `HttpClient` of its layer, over the same connections. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import type { Transport, TransportOptions } from "./Transport.ts"

interface DispatchTransportService {
  /** The client of the same layer. If another client is in context, requests are sent with that one. */
  readonly client: HttpClient.HttpClient
  readonly make: (options: TransportOptions) => Transport
}

export class DispatchTransport
  extends Context.Tag("@blockquarry/http/DispatchTransport")<DispatchTransport, DispatchTransportService>()
{}
