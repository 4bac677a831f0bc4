/** Searches everything that calls expose for the API key. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"

/** Encodes a value like exporters do. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => typeof member === "bigint" ? String(member) : member) ?? ""

/** Returns the texts in which an exit is shown or exported. */
const renderExit = (exit: Exit.Exit<unknown, Error>): ReadonlyArray<string> =>
  Exit.isSuccess(exit)
    ? [toJson(exit.value)]
    : [
      Cause.pretty(exit.cause, { renderErrorCause: true }),
      toJson(exit.cause),
      ...[...Cause.failures(exit.cause)].flatMap((error) => [
        error.message,
        String(error.stack),
        toJson(error),
        TelemetryRecorder.inspectDeep({ ...error })
      ])
    ]

/** Returns the texts that contain the API key. */
export const find = (
  exits: ReadonlyArray<Exit.Exit<unknown, Error>>,
  { logs, spans }: TelemetryRecorder.TelemetryRecorder
): ReadonlyArray<string> =>
  [
    ...exits.flatMap(renderExit),
    ...logs.flatMap(({ structure, text }) => [text, toJson(structure)]),
    ...spans.flatMap(({ attributes, events, failure, name }) => [
      toJson([name, [...attributes], events, failure]),
      failure === null || failure === undefined ? "" : Cause.pretty(failure)
    ])
  ].filter((text) => text.includes(TestClients.key))
