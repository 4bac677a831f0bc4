/**
 * Reservations: the units of requests on their way. A call reserves the expected units first, so that limits hold for concurrent
 * requests, sends, is priced, and closes. The units are given back if the call gets no response and nothing was sent to the upstream.
 * Once something was sent, the client pays the prices of its attempts instead, each as soon as it is known, also after the client
 * has disconnected.
 */
import * as CallUsage from "@blockquarry/http/CallUsage"
import type * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as Completed from "@blockquarry/server/Completed"
import * as Effect from "effect/Effect"
import type { AccessLogEntry, Usage } from "./AccessLogEntry.ts"
import type * as ProxyError from "./ProxyError.ts"

/** A quota per day or month: the client's own, that of its team, or that of all clients. */
export type QuotaName = `${"" | "team-" | "all-"}${"day" | "month"}`

/** The state of one quota of a client. */
export interface QuotaStatus {
  readonly name: "rate" | QuotaName
  readonly limit: number
  /** The limit at which it warns: equal to `limit` if it does not reject requests. Null if it does not warn. */
  readonly soft: number | null
  /** Length of the window, in seconds. */
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until units become available again. */
  readonly resetSeconds: number
  /** Whether it rejects requests. A soft quota does not. */
  readonly rejects: boolean
  /** Whether a soft quota is used up. */
  readonly warns: boolean
}

/** The result of charging a client, and the state of its quotas afterwards. */
export interface Charge {
  /** The units that were taken from the quotas per day and month, as far as the client has any. */
  readonly price: number
  readonly quotas: ReadonlyArray<QuotaStatus>
  /** Time that the request waited in the client's queue, in milliseconds. */
  readonly waitMs: number
  readonly shadowed: boolean
  /** Gives units back to these quotas or, if negative, takes more, without a wait. */
  readonly correct: (units: number) => void
  /** Gives the units back, and returns the state of the quotas afterwards. Must be used at most once. */
  readonly refund: Effect.Effect<ReadonlyArray<QuotaStatus>>
}

/** For whom units are reserved, and for what. */
type Subject = Pick<AccessLogEntry, "client" | "operation">

/** What a request reserved, sent and used: the sums of its reservations. A list has one for each page. */
export class Ledger {
  /** The state of the client's quotas. */
  quotas: ReadonlyArray<QuotaStatus> = []
  /** The price that cached responses saved. */
  saved = 0
  private readonly sink: Omit<Usage["Type"], "record">
  private usage = CallUsage.none
  private charged = 0
  private queuedMs = 0
  private shadowed = false
  private warned = false
  private open = 0
  private record: (() => void) | null = null
  private isRecorded = false

  constructor(sink: Omit<Usage["Type"], "record">) {
    this.sink = sink
  }

  /** What the request used so far. */
  row() {
    const { attempts, price, priceDrift, unsettledPrice, waitMillis } = this.usage
    return {
      attempts,
      upstreamCost: price,
      unsettledPrice,
      priceDrift,
      savedCost: this.saved,
      chargedCost: this.charged,
      shadowed: this.shadowed,
      warned: this.warned ? true as const : undefined,
      waitMs: this.queuedMs + waitMillis
    }
  }

  /** Runs a call with a reservation of the units of a charge. */
  reserving<A>(
    subject: Subject,
    charge: Effect.Effect<Charge, ProxyError.ProxyError>,
    call: (reservation: CallContext.Reservation) => Effect.Effect<A, ProxyError.ProxyError>
  ): Effect.Effect<A, ProxyError.ProxyError> {
    return Completed.uninterruptible(Completed.flatMap(charge, (charge) => {
      const { price, quotas, shadowed, waitMs } = charge
      this.quotas = quotas
      this.charged += shadowed ? 0 : price
      this.queuedMs += waitMs
      this.shadowed ||= shadowed
      this.warned ||= quotas.some(({ warns }) => warns)
      let isPriced = false
      // The part of the charge that no attempt has used yet. Null once it was given back.
      let unused: number | null = price
      const onUsage: CallUsage.UsageObserver = (usage, key) => {
        let correction = 0
        isPriced = true
        if (unused !== null && (usage.price > 0 || usage.priceDrift !== 0)) {
          correction = unused - usage.price
          unused = 0
          charge.correct(correction)
        }
        this.use(subject, usage, shadowed ? 0 : -correction, key)
      }
      const reservation = { sent: 0, onUsage }
      const called = call(reservation)
      if (Completed.isComplete(called)) return called
      this.open += 1
      const close = () => {
        this.open -= 1
        this.recordIfClosed()
      }
      return Effect.matchCauseEffect(Effect.interruptible(called), {
        onSuccess: (result) => {
          if (!isPriced) this.saved += price
          close()
          return Effect.succeed(result)
        },
        onFailure: (cause) => {
          if (reservation.sent === 0) unused = null
          const refund = reservation.sent > 0 ? Effect.void : Effect.map(charge.refund, (quotas) => {
            this.quotas = quotas
            this.charged -= shadowed ? 0 : price
          })
          return Effect.zipRight(Effect.ensuring(refund, Effect.sync(close)), Effect.failCause(cause))
        }
      })
    }))
  }

  /** Calls `record` once no reservation is open. After a disconnect that takes until the call is interrupted. */
  complete(record: () => void): void {
    this.record = record
    this.recordIfClosed()
  }

  /** Adds the usage of a call, and by how many units it changes the charge. */
  private use(subject: Subject, usage: CallUsage.CallUsage, charged: number, key: string | null): void {
    this.usage = CallUsage.add(this.usage, usage)
    this.charged += charged
    // The engine may still revalidate a stale entry, or finish an upstream request whose client disconnected.
    this.sink.recordUse(subject, usage, key, this.isRecorded ? charged : null)
  }

  private recordIfClosed(): void {
    if (this.record === null || this.open > 0) return
    this.record()
    this.record = null
    this.isRecorded = true
  }
}
