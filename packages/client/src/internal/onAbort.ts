/** Listens to abort signals. */

interface Listeners {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

/** One listener per signal: Node.js warns of a leak if a signal has more than ten, which many calls may share. */
const listenersOf = /* @__PURE__ */ new WeakMap<AbortSignal, Listeners>()

/** Calls back when the signal is aborted. Returns a function that stops listening. */
export const onAbort = (signal: AbortSignal | undefined, callback: () => void): () => void => {
  if (signal === undefined) return () => {}
  const { callbacks, listener } = listenersOf.get(signal) ?? listenTo(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    signal.removeEventListener("abort", listener)
    listenersOf.delete(signal)
  }
}

const listenTo = (signal: AbortSignal): Listeners => {
  const callbacks = new Set<() => void>()
  const listeners = { callbacks, listener: () => callbacks.forEach((callback) => callback()) }
  signal.addEventListener("abort", listeners.listener)
  listenersOf.set(signal, listeners)
  return listeners
}
