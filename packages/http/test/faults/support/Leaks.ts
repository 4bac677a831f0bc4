/** Looks for the key in everything that calls let out. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"

/** As exporters write it. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => typeof member === "bigint" ? String(member) : member) ?? ""

/** Every form in which an outcome is shown or sent on. */
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

/** The places where the key shows. */
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
