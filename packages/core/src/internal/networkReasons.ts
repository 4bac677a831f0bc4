/** The codes of network failures in plain words. */

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "certificate expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  EAI_AGAIN: "host name lookup failed",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "host not found",
  EPIPE: "connection closed",
  EPROTO: "TLS handshake failed",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate does not match the host",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS at this port",
  ETIMEDOUT: "connection timed out",
  HPE_INVALID_CONSTANT: "the response is not HTTP",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate cannot be verified",
  UND_ERR_CLOSED: "the transport is closed",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  UND_ERR_DESTROYED: "the transport is closed",
  UND_ERR_SOCKET: "the upstream closed the connection before the response was complete"
}

/** As in `connection refused (ECONNREFUSED)`. A reason that does not end in a known code stays as it is. */
export const describeNetworkReason = (reason: string): string =>
  reason.replace(/\b\w{1,40}$/, (code) => Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code)

/** Whether this program has closed its transport, which is no failure of the network. */
export const isTransportClosed = (reason: string): boolean =>
  reason === "UND_ERR_CLOSED" || reason === "UND_ERR_DESTROYED"
