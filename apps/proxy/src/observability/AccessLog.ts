/** The access log: one line for each completed request. */
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type { LogStyle } from "./Logging.ts"

/** Whether a request is a successful probe. These are frequent and not logged. */
export const isSuccessfulProbe = ({ route, status }: AccessLogEntry): boolean =>
  (route === "/livez" || route === "/readyz") && status === 200

export const accessLogLine = (entry: AccessLogEntry, style: LogStyle): string => {
  const { cache, client, clientAddress, code, detail, durationMs, method, path, requestId, status } = entry
  const time = formatTime(entry.startedAt)
  if (style === "text") {
    const parts = [
      method,
      path ?? entry.route,
      status,
      `${durationMs}ms`,
      cache ?? code ?? "",
      client ?? "",
      clientAddress,
      requestId,
      detail ?? ""
    ]
    return `${time} ${parts.filter((part) => part !== "").join(" ")}`
  }
  // `JSON.stringify` of an object takes four times as long.
  return `{"time":"${time}","level":"info","message":"request","requestId":${quote(requestId)},` +
    `"client":${quote(client)},"clientAddress":${quote(clientAddress)},"method":${quote(method)},` +
    `"route":${quote(entry.route)},${path === undefined ? "" : `"path":${quote(path)},`}` +
    (entry.traceId === undefined ? "" : `"traceId":"${entry.traceId}",`) +
    `"operation":${quote(entry.operation)},"status":${status},"code":${quote(code)},` +
    (detail === undefined ? "" : `"detail":${quote(detail)},`) +
    `"cache":${quote(cache)},"attempts":${entry.attempts},"upstreamCost":${entry.upstreamCost},` +
    `"unsettledPrice":${entry.unsettledPrice},"priceDrift":${entry.priceDrift},` +
    `"savedCost":${entry.savedCost},"chargedCost":${entry.chargedCost},"shadowed":${entry.shadowed},` +
    (entry.warned === undefined ? "" : "\"warned\":true,") +
    `"durationMs":${durationMs},"waitMs":${entry.waitMs},"bytes":${entry.bytes}}`
}

const quote = (text: string | null): string =>
  text === null ? "null" : /^[\w./:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text)

/** Formats a time. Under load, many requests start in the same millisecond. */
const formatTime = (() => {
  let last = { millis: 0, text: new Date(0).toISOString() }
  return (millis: number): string => {
    if (millis !== last.millis) last = { millis, text: new Date(millis).toISOString() }
    return last.text
  }
})()
