/** Sums of records per hour, day, week or another interval that fits the time between the first and the last record. */
import { type TimeInterval, utcDay, utcHour, utcMinute, utcMonday, utcMonth, utcYear } from "d3-time"
import { formatTime } from "./Chart.ts"

interface Interval {
  readonly name: string
  readonly calendar: TimeInterval
  readonly label: (start: Date) => string
}

const day = { name: "day", calendar: utcDay, label: (start: Date) => formatTime(start, 10) }
const month = { name: "month", calendar: utcMonth, label: (start: Date) => formatTime(start, 7) }
const year = { name: "year", calendar: utcYear, label: (start: Date) => formatTime(start, 4) }

const years = (name: string, count: number): Interval => ({
  name,
  calendar: utcYear.every(count) ?? utcYear,
  label: (start) => `${year.label(start)}s`
})

/** Times have four digits for the year, so this is enough for all of them. */
const millennium = years("millennium", 1000)

/** From short to long. Weeks start on Monday. */
const intervals: ReadonlyArray<Interval> = [
  { name: "minute", calendar: utcMinute, label: (start) => formatTime(start) },
  { name: "hour", calendar: utcHour, label: (start) => formatTime(start) },
  day,
  { ...day, name: "week", calendar: utcMonday },
  month,
  {
    name: "quarter",
    calendar: utcMonth.every(3) ?? utcMonth,
    label: (start) => `${year.label(start)} Q${start.getUTCMonth() / 3 + 1}`
  },
  year,
  years("decade", 10),
  millennium
]

/** Intervals in which records are summed while they arrive: those that divide the longer ones. */
const resolutions = intervals.filter(({ name }) => name !== "week" && name !== "quarter")

/** More rows are hard to read. */
const maxBuckets = 32

/**
 * Bounds the memory. So many different minutes span more hours than there are rows, and so on, so that a coarser
 * resolution does not change the result.
 */
const maxSums = 4096

interface Buckets<out A> {
  /** The length of a bucket, for example `day`. */
  readonly interval: string
  /** All buckets from the first record to the last one, without gaps. Null: no records. */
  readonly buckets: ReadonlyArray<{ readonly label: string; readonly value: A | null }>
  /** The sum of the records without a time; null if there are none. */
  readonly untimed: A | null
  /** Times of the first and the last record; null if no record has a time. */
  readonly range: { readonly first: number; readonly last: number } | null
}

/** Sums the values of records by time: `combine` sums two. The memory does not depend on the number of records. */
export const timeBuckets = <A>(combine: (one: A, other: A) => A) => {
  let resolution = 0
  let sums = new Map<number, A>()
  let untimed: A | null = null
  let [first, last] = [Infinity, -Infinity]
  const addTo = (to: Map<number, A>, { calendar }: Interval, time: number, value: A) => {
    const key = calendar.floor(new Date(time)).getTime()
    const present = to.get(key)
    return to.set(key, present === undefined ? value : combine(present, value))
  }
  const sumsPer = (interval: Interval): Map<number, A> => {
    const all = new Map<number, A>()
    for (const [time, value] of sums) addTo(all, interval, time, value)
    return all
  }
  const resolutionAt = (index: number): Interval => resolutions[index] ?? millennium
  return {
    /** Adds the value of a record at a time in milliseconds; null if the time is unknown. */
    add: (time: number | null, value: A): void => {
      if (time === null) {
        untimed = untimed === null ? value : combine(untimed, value)
        return
      }
      first = Math.min(first, time)
      last = Math.max(last, time)
      addTo(sums, resolutionAt(resolution), time, value)
      while (sums.size > maxSums) sums = sumsPer(resolutionAt(++resolution))
    },
    /** Returns the buckets of the shortest interval of which at most 32 are needed. */
    result: (): Buckets<A> => {
      if (sums.size === 0) return { interval: day.name, buckets: [], untimed, range: null }
      const interval =
        intervals.slice(intervals.indexOf(resolutionAt(resolution))).find(({ calendar }) =>
          calendar.offset(calendar.floor(new Date(first)), maxBuckets).getTime() > last
        ) ?? millennium
      const { calendar, label, name } = interval
      const shown = sumsPer(interval)
      const buckets = calendar.range(calendar.floor(new Date(first)), new Date(last + 1))
        .map((start) => ({ label: label(start), value: shown.get(start.getTime()) ?? null }))
      return { interval: name, buckets, untimed, range: { first, last } }
    }
  }
}
