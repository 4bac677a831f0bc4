/** Signals while a function blocks the event loop. */
import { expect, it } from "@effect/vitest"
import { signals, whileBlocking } from "../../src/terminal/Signals.ts"

it("gives signals their default action while a function blocks, and then returns them to their listeners", () => {
  const onSignal = () => {}
  for (const signal of signals) process.on(signal, onSignal)
  const listeners = () => signals.map((signal) => process.listeners(signal))
  const before = listeners()
  try {
    expect(whileBlocking(listeners)).toEqual([[], [], []])
    expect(listeners()).toEqual(before)
    expect(() =>
      whileBlocking(() => {
        throw new Error("failed")
      })
    ).toThrow("failed")
    expect(listeners()).toEqual(before)
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal)
  }
})
