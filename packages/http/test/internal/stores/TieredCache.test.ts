/** Tests the cache in memory above a remote one: hits without round trips, slow reads, purges and outages. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

const minute = 60_000

const entry = (version: number, freshUntil = minute, bytes = 1): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  version,
  storedAt: 0,
  freshUntil,
  expiresAt: 2 * minute
})

/** Of larger entries the remote cache holds the version alone. */
const maxBytes = 1024 * 1024

/** A remote cache whose replies the test can delay or fail, and its commands. */
const remoteCache = () => {
  const entries = new Map<string, CacheStore.CacheEntry>()
  const state = {
    unavailable: false,
    /** Whether writes fail, pings too. */
    readOnly: false,
    version: 100,
    onRemoval: () => {},
    commands: Array.of<string>(),
    /** Delays the replies of the following commands. */
    delay: Effect.void as Effect.Effect<unknown>
  }
  const command = <A>(name: string, execute: () => A): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      state.commands.push(name)
      if (state.unavailable) return Effect.fail(new StoreError({ reason: "refused" }))
      const reply = execute()
      return Effect.as(state.delay, reply)
    })
  const backend: CacheStore.RemoteCacheBackend = {
    get: (key) =>
      command(`get ${key}`, () => {
        const found = entries.get(key) ?? null
        return found !== null && found.response.bytes.length > maxBytes ? null : found
      }),
    getVersion: (key) => command(`getVersion ${key}`, () => entries.get(key)?.version ?? null),
    set: (key, entry) =>
      Effect.suspend(() =>
        state.readOnly ? Effect.fail(new StoreError({ reason: "OOM" })) : command(`set ${key}`, () => {
          if ((entries.get(key)?.version ?? 0) <= entry.version) entries.set(key, entry)
        })
      ),
    nextVersion: (after) => command("nextVersion", () => state.version = Math.max(state.version, after) + 1),
    remove: (key) =>
      command(`remove ${key}`, () => {
        entries.delete(key)
      }),
    clear: command("clear", () => entries.clear()),
    watchRemovals: (onRemoval) => Effect.sync(() => void (state.onRemoval = onRemoval)),
    ping: Effect.suspend(() =>
      state.unavailable || state.readOnly ? Effect.fail(new StoreError({ reason: "refused" })) : Effect.void
    )
  }
  /** Runs an effect and returns its result with its commands. */
  const commandsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = state.commands.length
      return Effect.map(effect, (result) => [result, state.commands.slice(before)] as const)
    })
  return { backend, commandsOf, entries, state }
}

const withRemote = Effect.gen(function*() {
  const remote = remoteCache()
  return { ...remote, store: yield* CacheStore.tiered(remote.backend) }
})

/** Delays all replies until the returned effect runs. */
const delayReplies = (state: { delay: Effect.Effect<unknown> }) =>
  Effect.map(Deferred.make<void>(), (released) => {
    state.delay = Deferred.await(released)
    return Effect.sync(() => {
      state.delay = Effect.void
    }).pipe(Effect.zipRight(Deferred.succeed(released, undefined)))
  })

describe("a cache above a remote one", () => {
  it.scoped("returns entries from memory for 2 s, and then reads them only if another process replaced them", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, store } = yield* withRemote
      const stored = entry(5)
      entries.set("a", stored)
      expect(store.peek?.("a")).toBeUndefined()
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, ["get a"]])
      yield* TestClock.adjust(1999)
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, []])
      expect(store.peek?.("a")).toBe(stored)
      yield* TestClock.adjust(1)
      expect(store.peek?.("a")).toBeUndefined()
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, ["getVersion a"]])
      const replaced = entry(6)
      entries.set("a", replaced)
      yield* TestClock.adjust(2000)
      expect(yield* commandsOf(store.get("a"))).toEqual([replaced, ["getVersion a", "get a"]])
      yield* store.clearMemory ?? Effect.void
      expect(store.peek?.("a")).toBeUndefined()
      expect(yield* commandsOf(store.get("a"))).toEqual([replaced, ["get a"]])
    }))

  it.scoped("returns an entry for at most 100 ms after another process has sent a message that it removed entries", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, state, store } = yield* withRemote
      const kept = entry(1)
      entries.set("kept", kept)
      entries.set("removed", entry(1))
      yield* Effect.all([store.get("kept"), store.get("removed")])
      entries.delete("removed")
      // A script may remove many entries, one by one
      for (let times = 0; times < 10; times++) state.onRemoval()
      yield* TestClock.adjust(99)
      expect(store.peek?.("removed")).toBeDefined()
      yield* TestClock.adjust(1)
      expect(yield* commandsOf(store.get("removed"))).toEqual([null, ["getVersion removed"]])
      expect(yield* commandsOf(store.get("kept"))).toEqual([kept, ["getVersion kept"]])
      yield* TestClock.adjust(1000)
      expect(yield* commandsOf(store.get("kept"))).toEqual([kept, []])
    }))

  it.scoped("does not return an entry whose read began before it was removed", () =>
    Effect.gen(function*() {
      const { entries, state, store } = yield* withRemote
      for (const purge of [store.remove("a"), store.clear]) {
        entries.set("a", entry(1))
        const release = yield* delayReplies(state)
        const reading = yield* Effect.fork(store.get("a"))
        yield* Effect.yieldNow()
        state.delay = Effect.void
        expect(yield* purge).toBe(true)
        expect(yield* store.get("a")).toBeNull()
        yield* release
        yield* Fiber.join(reading)
        expect([store.peek?.("a"), yield* store.get("a")]).toEqual([undefined, null])
      }
    }))

  it.scoped("keeps an entry that was set while an older one was read", () =>
    Effect.gen(function*() {
      const { entries, state, store } = yield* withRemote
      entries.set("a", entry(1))
      const release = yield* delayReplies(state)
      const reading = yield* Effect.fork(store.get("a"))
      yield* Effect.yieldNow()
      const newer = entry(2)
      yield* store.set("a", newer)
      yield* release
      expect(yield* Fiber.join(reading)).toBe(newer)
      expect(store.peek?.("a")).toBe(newer)
    }))

  it.scoped("waits for at most 250 ms, and not at all while a read takes longer, whose result it uses later", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, state, store } = yield* withRemote
      for (const key of ["a", "b"]) entries.set(key, entry(1))
      const release = yield* delayReplies(state)
      const first = yield* Effect.fork(store.get("a"))
      yield* TestClock.adjust(249)
      expect(first.unsafePoll()).toBeNull()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(first)).toBeNull()
      // Completes without an adjustment of the clock
      expect(yield* commandsOf(store.get("a"))).toEqual([null, []])
      expect(yield* commandsOf(store.get("b"))).toEqual([null, []])
      yield* release
      yield* Effect.yieldNow()
      expect(store.peek?.("a")).toBe(entries.get("a"))
    }))

  it.scoped("does not wait for writes, has at most 8 MiB of them in flight, and uses further entries for 2 s", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, state, store } = yield* withRemote
      const release = yield* delayReplies(state)
      const keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
      const sets = Effect.forEach(keys, (key) => store.set(key, entry(1, minute, 1024 * 1024)))
      const [, commands] = yield* commandsOf(sets)
      expect(commands).toHaveLength(8)
      yield* release
      yield* Effect.yieldNow()
      yield* store.set("k", entry(1, minute, 1024 * 1024))
      expect([...entries.keys()]).toEqual([...keys.slice(0, 8), "k"])
      expect(store.peek?.("j")).toBeDefined()
      yield* TestClock.adjust(2000)
      expect(yield* store.get("j")).toBeNull()
    }))

  it.scoped("keeps using an entry whose version alone was written, until any process removes it", () =>
    Effect.gen(function*() {
      const { backend, commandsOf, store } = yield* withRemote
      const other = yield* CacheStore.tiered(backend)
      const stored = entry(2, minute, 1 + maxBytes)
      yield* store.set("i", stored)
      yield* TestClock.adjust(5000)
      expect(yield* commandsOf(store.get("i"))).toEqual([stored, ["getVersion i"]])
      // Another process reads nothing, and stores only the version too
      expect(yield* other.get("i")).toBeNull()
      yield* other.set("i", entry(3, minute, 1 + maxBytes))
      yield* TestClock.adjust(2000)
      expect(yield* commandsOf(store.get("i"))).toEqual([stored, ["getVersion i", "get i"]])
      expect(yield* other.remove("i")).toBe(true)
      yield* TestClock.adjust(2000)
      expect(yield* store.get("i")).toBeNull()
    }))

  it.scoped("does not use a stale entry if another process has written a version", () =>
    Effect.gen(function*() {
      const { backend, store } = yield* withRemote
      yield* store.set("a", entry(1, 1000))
      yield* backend.set("a", entry(2, minute, 1 + maxBytes))
      yield* TestClock.adjust(1000)
      expect(yield* store.get("a")).toBeNull()
    }))
})

describe("during an outage, a cache above a remote one", () => {
  it.scoped("returns what is in memory, and removes nothing", () =>
    Effect.gen(function*() {
      const { entries, state, store } = yield* withRemote
      const [known, added] = [entry(1), entry(2)]
      yield* store.set("known", known)
      entries.set("unknown", entry(3))
      yield* TestClock.adjust(2000)
      state.unavailable = true
      expect(yield* store.get("unknown")).toBeNull()
      expect(yield* store.get("known")).toBe(known)
      yield* TestClock.adjust(10_000)
      expect(store.peek?.("known")).toBe(known)
      yield* store.set("added", added)
      expect(store.peek?.("added")).toBe(added)
      expect([yield* store.remove("known"), yield* store.clear]).toEqual([false, false])
      // Not by this process either
      expect([store.peek?.("known"), store.peek?.("added")]).toEqual([undefined, undefined])
      expect([...entries.keys()]).toEqual(["known", "unknown"])
    }))
})

describe("after an outage, a cache above a remote one", () => {
  it.scoped.each(["unavailable", "readOnly"] as const)(
    "uses what it received while the store was %s if that holds an older entry, and until it is stale",
    (condition) =>
      Effect.gen(function*() {
        const { backend, state, store } = yield* withRemote
        const other = yield* CacheStore.tiered(backend)
        const older = entry(yield* store.nextVersion)
        yield* store.set("a", older)
        state[condition] = true
        const newer = entry(yield* store.nextVersion, 10_000)
        for (const key of ["a", "b"]) yield* store.set(key, { ...newer })
        expect([yield* store.get("a"), yield* store.get("b")]).toEqual([newer, newer])
        state[condition] = false
        yield* TestClock.adjust(5000)
        expect([yield* store.get("a"), yield* other.get("a")]).toEqual([newer, older])
        // It may have been purged
        expect(yield* store.get("b")).toBeNull()
        yield* TestClock.adjust(5000)
        expect(yield* store.get("a")).toEqual(older)
        expect(store.peek?.("a")).toEqual(older)
      })
  )

  it.scoped("has versions that are higher than its own, which were higher than those of other processes", () =>
    Effect.gen(function*() {
      const { backend, state } = remoteCache()
      yield* TestClock.adjust(1000)
      const [one, other] = yield* Effect.all([CacheStore.tiered(backend), CacheStore.tiered(backend)])
      const before = yield* other.nextVersion
      state.unavailable = true
      const during = [yield* one.nextVersion, yield* one.nextVersion]
      state.unavailable = false
      yield* TestClock.adjust(500)
      const versions = [before, ...during, yield* one.nextVersion, yield* other.nextVersion]
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
    }))
})

it.scoped.prop(
  "returns, 2 s after the last change, what the remote store holds, or after an outage nothing older, in every process",
  {
    steps: FastCheck.array(
      FastCheck.record({
        do: FastCheck.constantFrom(
          "set",
          "set",
          "get",
          "get",
          "remove",
          "clear",
          "outage",
          "save",
          "lose",
          "wait"
        ),
        process: FastCheck.nat(1),
        key: FastCheck.constantFrom("a", "b"),
        age: FastCheck.nat(3)
      }),
      { maxLength: 30 }
    )
  },
  ({ steps }) =>
    Effect.gen(function*() {
      const { backend, entries, state } = remoteCache()
      const stores = yield* Effect.replicateEffect(CacheStore.tiered(backend), 2)
      let saved = new Map(entries)
      for (const step of steps) {
        const store = stores[step.process]
        if (store === undefined) continue
        if (step.do === "set") yield* store.set(step.key, entry((yield* store.nextVersion) - step.age))
        else if (step.do === "get") yield* store.get(step.key)
        else if (step.do === "remove") yield* store.remove(step.key)
        else if (step.do === "clear") yield* store.clear
        else if (step.do === "outage") state.unavailable = !state.unavailable
        else if (step.do === "save") saved = new Map(entries)
        else if (step.do === "lose") {
          // The remote store starts again from what it has saved
          entries.clear()
          for (const [key, value] of saved) entries.set(key, value)
        } else yield* TestClock.adjust(700)
      }
      state.unavailable = false
      yield* TestClock.adjust(2500)
      for (const store of stores) {
        for (const key of ["a", "b"]) {
          const [found, remote] = [yield* store.get(key), entries.get(key) ?? null]
          const missed = steps.some((step) => step.do === "outage" || step.do === "lose")
          if (remote === null || !missed) expect(found).toEqual(remote)
          else expect(found?.version).toBeGreaterThanOrEqual(remote.version)
        }
      }
    })
)
