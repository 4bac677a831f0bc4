/** The signals that end a command. */
import type { signalExitCodes } from "../errors/CommandError.ts"

export type Signal = keyof typeof signalExitCodes

export const signals: ReadonlyArray<Signal> = ["SIGHUP", "SIGINT", "SIGTERM"]

/**
 * Runs a function that may block the event loop for long. A listener would wait for its end, so signals have their default
 * action meanwhile: they end the process at once.
 */
export const whileBlocking = <A>(run: () => A): A => {
  const listeners = signals.map((signal) => ({ signal, all: process.listeners(signal) }))
  for (const signal of signals) process.removeAllListeners(signal)
  try {
    return run()
  } finally {
    for (const { all, signal } of listeners) for (const listener of all) process.on(signal, listener)
  }
}
