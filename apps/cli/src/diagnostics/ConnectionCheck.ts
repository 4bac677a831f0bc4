/** Reaches a host step by step: name, connection, TLS. */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as dns from "node:dns"
import * as net from "node:net"
import * as tls from "node:tls"
import { errorCode } from "../errors/SystemError.ts"

/** A step failed. `code` is that of the operating system or of OpenSSL, for example ECONNREFUSED. */
export class UnreachableError extends Data.TaggedError("UnreachableError")<{
  readonly step: "name" | "connection" | "tls"
  readonly code: string
}> {}

/** Each step may take this long. */
const stepTimeout = "5 seconds"

const inTime = (step: UnreachableError["step"]) =>
  Effect.timeoutFail({
    duration: stepTimeout,
    onTimeout: () => new UnreachableError({ step, code: "ETIMEDOUT" })
  })

const resolveName = (host: string): Effect.Effect<ReadonlyArray<string>, UnreachableError> =>
  Effect.tryPromise({
    try: () => dns.promises.lookup(host, { all: true }),
    catch: (error) => new UnreachableError({ step: "name", code: errorCode(error) })
  }).pipe(inTime("name"), Effect.map((found) => found.map(({ address }) => address)))

/** Opens a connection, reads `result` of it, and closes it. */
const connection = <S extends net.Socket, A>(
  step: UnreachableError["step"],
  open: () => S,
  readyEvent: string,
  result: (socket: S) => A
): Effect.Effect<A, UnreachableError> =>
  Effect.async<A, UnreachableError>((resume) => {
    const socket = open()
    socket.once(readyEvent, () => {
      resume(Effect.succeed(result(socket)))
      socket.destroy()
    })
    socket.on("error", (error) => {
      resume(new UnreachableError({ step, code: errorCode(error) }))
      socket.destroy()
    })
    return Effect.sync(() => void socket.destroy())
  }).pipe(inTime(step))

const defaultPorts: Readonly<Record<string, number>> = { "https:": 443, "socks:": 1080, "socks5:": 1080 }

/** Reaches the host of a URL. The certificate is null without TLS. */
export const checkConnection = ({ hostname, port: urlPort, protocol }: URL) =>
  Effect.gen(function*() {
    // Without the brackets of an IPv6 address
    const host = hostname.replace(/^\[(.*)\]$/, "$1")
    const port = urlPort === "" ? defaultPorts[protocol] ?? 80 : Number(urlPort)
    const addresses = yield* resolveName(host)
    const [connecting] = yield* Effect.timed(
      connection("connection", () => net.connect({ host, port }), "connect", () => null)
    )
    const certificate = protocol === "https:"
      ? yield* connection(
        "tls",
        () => tls.connect({ host, port, ...net.isIP(host) === 0 ? { servername: host } : {} }),
        "secureConnect",
        (socket) => {
          const { issuer, valid_to } = socket.getPeerCertificate()
          return { issuer: [issuer.O ?? issuer.CN].flat().join(", "), validTo: new Date(valid_to) }
        }
      )
      : null
    return { addresses, connectMillis: Math.round(Duration.toMillis(connecting)), certificate }
  })
