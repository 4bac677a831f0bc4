/** Paths that a service does not have: what a wrong base URL looks like. */
import type { NotFoundError } from "@blockquarry/core/OperationError"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import { apisOfOperations } from "../text/CoreNames.build.ts"

/** What routers say about a path. The last one is the code of quarry-proxy. */
const routerMessage = /^cannot [a-z]+ \/|"unknown-path"/i

/** Returns whether a 404 concerns the path, not an item: it has no message of the service, or that of a router. */
export const isUnknownPath = ({ body, serverMessage, status }: NotFoundError): boolean =>
  status === 404 && (serverMessage === null || routerMessage.test(serverMessage) || routerMessage.test(body))

export const unknownPathMessage = "the service has no such path"

/** Returns the message with what the service says, as the other messages have it. */
export const describeUnknownPath = ({ serverMessage, status }: NotFoundError): string =>
  `${unknownPathMessage} (${status})${serverMessage === null ? "" : `: ${serverMessage}`}`

/** Returns what to do about the base URL of an operation, or of a request that none describes. */
export const unknownPathFix = (operation: string): string => {
  const variables = baseUrlOptions.filter(({ api }) => api === apisOfOperations[operation])
    .map(({ variable }) => variable)
  return variables.length === 0
    ? "check the path of the request, which follows that of the base URL"
    : `check the path of the base URL (${variables.join(" or ")})`
}
