/** Sums of records per hour, day, week or another interval that fits the time between the first and the last record. */
import { type TimeInterval, utcDay, utcHour, utcMinute, utcMonday, utcMonth, utcYear } from "d3-time"
import { formatTime } from "./Chart.ts"

/** An interval of the calendar in UTC. */
interface Interval {
  readonly name: string
  readonly calendar: TimeInterval
  readonly label: (start: Date) => string
}

const yearLabel = (start: Date): string => formatTime(start, 4)
const dayLabel = (start: Date): string => formatTime(start, 10)

/** From short to long. Weeks start on Monday. */
const intervals: ReadonlyArray<Interval> = [
  { name: "minute", calendar: utcMinute, label: (start) => formatTime(start) },
  { name: "hour", calendar: utcHour, label: (start) => formatTime(start) },
  { name: "day", calendar: utcDay, label: dayLabel },
  { name: "week", calendar: utcMonday, label: dayLabel },
  { name: "month", calendar: utcMonth, label: (start) => formatTime(start, 7) },
  {
    name: "quarter",
    calendar: utcMonth.every(3) ?? utcMonth,
    label: (start) => `${yearLabel(start)} Q${start.getUTCMonth() / 3 + 1}`
  },
  { name: "year", calendar: utcYear, label: yearLabel },
  { name: "decade", calendar: utcYear.every(10) ?? utcYear, label: (start) => `${yearLabel(start)}s` }
]

/** Times have four digits for the year, so this is enough for all of them. */
const longest: Interval = {
  name: "millennium",
  calendar: utcYear.every(1000) ?? utcYear,
  label: (start) => `${yearLabel(start)}s`
}

/** Intervals in which records are summed while they arrive, with the shortest one that may then be shown. */
const resolutions: ReadonlyArray<readonly [calendar: TimeInterval, shortest: string]> = [
  [utcMinute, "minute"],
  [utcHour, "hour"],
  [utcDay, "day"],
  [utcMonth, "month"],
  [utcYear, "year"]
]

/** More rows are hard to read. */
const maxBuckets = 32

/**
 * Bounds the memory. So many different minutes span more hours than there are rows, and so on, so that a coarser
 * resolution does not change the result.
 */
const maxSums = 4096

interface Bucket<out A> {
  readonly label: string
  /** Null if the bucket has no records. */
  readonly value: A | null
}

export interface Buckets<out A> {
  /** The length of a bucket, for example `day`. */
  readonly interval: string
  /** All buckets from the first record to the last one, without gaps. */
  readonly buckets: ReadonlyArray<Bucket<A>>
  /** The sum of the records without a time; null if there are none. */
  readonly untimed: A | null
  /** Times of the first and the last record; null if no record has a time. */
  readonly range: { readonly first: number; readonly last: number } | null
}

/** Sums the values of records by time. The memory does not depend on the number of records. */
export class TimeBuckets<in out A> {
  readonly #combine: (one: A, other: A) => A
  #resolution = 0
  #sums = new Map<number, A>()
  #untimed: A | null = null
  #first = Infinity
  #last = -Infinity

  /** `combine` sums two values. */
  constructor(combine: (one: A, other: A) => A) {
    this.#combine = combine
  }

  /** Adds the value of a record at a time in milliseconds; null if the time is unknown. */
  add(time: number | null, value: A): void {
    if (time === null) {
      this.#untimed = this.#untimed === null ? value : this.#combine(this.#untimed, value)
      return
    }
    this.#first = Math.min(this.#first, time)
    this.#last = Math.max(this.#last, time)
    const [calendar] = resolutions[this.#resolution] ?? [utcYear]
    this.#addTo(this.#sums, calendar, time, value)
    while (this.#sums.size > maxSums && this.#resolution + 1 < resolutions.length) {
      this.#resolution += 1
      const [coarser] = resolutions[this.#resolution] ?? [utcYear]
      this.#sums = this.#sumsPer(coarser)
    }
  }

  /** Returns the buckets of the shortest interval of which at most 32 are needed. */
  result(): Buckets<A> {
    if (this.#sums.size === 0) return { interval: "day", buckets: [], untimed: this.#untimed, range: null }
    const [, shortest] = resolutions[this.#resolution] ?? []
    const shown = intervals.slice(intervals.findIndex(({ name }) => name === shortest))
    const { calendar, label, name } =
      shown.find(({ calendar }) => this.#starts(calendar, maxBuckets + 1).length <= maxBuckets) ?? longest
    const sums = this.#sumsPer(calendar)
    return {
      interval: name,
      buckets: this.#starts(calendar, Infinity).map((start) => ({
        label: label(start),
        value: sums.get(start.getTime()) ?? null
      })),
      untimed: this.#untimed,
      range: { first: this.#first, last: this.#last }
    }
  }

  /** Returns the starts of at most `limit` intervals, from the first record on. */
  #starts(calendar: TimeInterval, limit: number): ReadonlyArray<Date> {
    const starts: Array<Date> = []
    let start = calendar.floor(new Date(this.#first))
    while (start.getTime() <= this.#last && starts.length < limit) {
      starts.push(start)
      start = calendar.offset(start, 1)
    }
    return starts
  }

  #sumsPer(calendar: TimeInterval): Map<number, A> {
    const sums = new Map<number, A>()
    for (const [time, value] of this.#sums) this.#addTo(sums, calendar, time, value)
    return sums
  }

  #addTo(sums: Map<number, A>, calendar: TimeInterval, time: number, value: A): void {
    const key = calendar.floor(new Date(time)).getTime()
    const present = sums.get(key)
    sums.set(key, present === undefined ? value : this.#combine(present, value))
  }
}
