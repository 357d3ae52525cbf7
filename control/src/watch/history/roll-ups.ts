/**
 * What was seen of one service, rolled up as it is seen: five minutes, of them hours, of them days. Only what is under way is
 * here, and the latencies of the last hour; the rest is in the store.
 */
import { Buckets, type Percentiles } from './buckets.ts'
import { Increases, type Signals } from './increases.ts'
import { Period, type PeriodRow, type PeriodS } from './period.ts'

const hourS = 3600
const dayS = 86_400

export interface Look {
  /** From the question to the answer; null when none came. */
  readonly latencyMs: number | null
  readonly signals?: Signals | undefined
  /** Which of several counters these are; they are told apart by it. */
  readonly instance?: string | undefined
}

export class RollUps {
  #five: Period | undefined
  #hour: PeriodRow | undefined
  #day: PeriodRow | undefined
  /** Of the last hour, with the five minutes that are under way. */
  #lastHour = new Buckets()
  /** Its parts that have ended, and when they did. */
  readonly #parts: string[] = []
  readonly #ends: number[] = []
  #increases: Increases | undefined

  /** From rows of the store, in the order of time. Whatever of it had ended already ends once more, as it was. */
  static of(periods: readonly Period[]): RollUps {
    const rollUps = new RollUps()
    const newest = periods.findLast(({ periodS }) => periodS === 300) ?? periods.at(-1)
    if (newest) for (const period of periods) rollUps.#restore(period, newest)
    return rollUps
  }

  /** Returns the periods that have ended. */
  looked(at: number, { latencyMs, signals, instance = '' }: Look): Period[] {
    const ended = this.endedBy(at)
    this.#five ??= new Period(300, at)
    this.#five.look(latencyMs)
    if (latencyMs !== null) this.#lastHour.add(latencyMs)
    if (signals) {
      this.#five.memory(signals.memoryBytes)
      this.#increases ??= new Increases()
      this.#increases.read(instance, at, signals)
    }
    return ended
  }

  /** Ends what is over. */
  endedBy(now: number): Period[] {
    const ended: Period[] = []
    if (this.#five && this.#five.end <= now) {
      const five = this.unended()!
      ended.push(five)
      this.#increases?.tidy(now)
      this.#keepOfLastHour(five)
      this.#hour = merged(this.#hour, 3600, five)
      this.#five = undefined
    }
    if (this.#hour && this.#hour.at + hourS <= now) {
      const hour = Period.of(this.#hour)
      ended.push(hour)
      this.#day = merged(this.#day, 86_400, hour)
      this.#hour = undefined
    }
    if (this.#day && this.#day.at + dayS <= now) {
      ended.push(Period.of(this.#day))
      this.#day = undefined
    }
    return ended
  }

  latency(now: number): Percentiles {
    this.#forgetBefore(now - hourS)
    return this.#lastHour.percentiles()
  }

  /** What has not ended yet, of one length. */
  underWay(periodS: PeriodS): Period | undefined {
    const five = this.unended()
    if (periodS === 300) return five
    const hour = five ? merged(this.#hour, 3600, five) : this.#hour
    if (periodS === 3600) return hour && Period.of(hour)
    const day = hour ? merged(this.#day, 86_400, Period.of(hour)) : this.#day
    return day && Period.of(day)
  }

  /** Five minutes that are not over, to be gone on with. */
  unended(): Period | undefined {
    if (this.#five && this.#increases) this.#five.grow(this.#increases.take())
    return this.#five
  }

  /** A clock that was set back was wrong: what it began after this second never ends. */
  cut(second: number): void {
    if (this.#five && this.#five.at > second) this.#five = undefined
    if (this.#hour && this.#hour.at > second) this.#hour = undefined
    if (this.#day && this.#day.at > second) this.#day = undefined
    if (this.#ends.every(end => end <= second + 300)) return
    this.#parts.length = 0
    this.#ends.length = 0
    this.#lastHour = new Buckets()
    if (this.#five) this.#lastHour.merge(this.#five.latency)
  }

  #keepOfLastHour({ end, latency }: Period): void {
    this.#forgetBefore(end - hourS)
    if (latency.total === 0) return
    this.#parts.push(latency.pack())
    this.#ends.push(end)
  }

  #forgetBefore(second: number): void {
    while (this.#ends.length > 0 && this.#ends[0]! <= second) {
      this.#ends.shift()
      this.#lastHour.subtract(this.#parts.shift()!)
    }
  }

  /** Hours are counted up to the one that the newest five minutes are in, which is counted from them. */
  #restore(period: Period, newest: Period): void {
    const hour = newest.periodS === 300 ? newest.at - (newest.at % hourS) : newest.end
    const day = newest.at - (newest.at % dayS)
    if (period.periodS === 3600 && period.at >= day && period.at < hour) {
      this.#day = merged(this.#day, 86_400, period)
    }
    if (period.periodS !== 300) return
    this.#lastHour.merge(period.latency)
    if (period === newest) {
      this.#five = period
      return
    }
    this.#keepOfLastHour(period)
    if (period.at < hour) return
    this.#hour = merged(this.#hour, 3600, period)
  }
}

/** Kept as the text of a row, which is small: it is looked at twelve times an hour. */
function merged(row: PeriodRow | undefined, periodS: PeriodS, part: Period): PeriodRow {
  const whole = row ? Period.of(row) : new Period(periodS, part.at)
  whole.merge(part)
  return whole.row('')
}
