/**
 * What was seen of one service, rolled up as it is seen: five minutes, of them hours, of them days. Only what is under way is
 * here, and the latencies of the last hour; the rest is in the store.
 */
import { Buckets, type Percentiles } from './buckets.ts'
import { Increases, type Signals } from './increases.ts'
import { Period } from './period.ts'

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
  #hour: Period | undefined
  #day: Period | undefined
  /** Of the last hour, with the five minutes that are under way. */
  #lastHour = new Buckets()
  /** As text, which is the smallest. */
  readonly #ofLastHour: { end: number; latency: string }[] = []
  #increases: Increases | undefined
  /** Seconds that each instance was observed for in these five minutes. */
  #observedS: Map<string, number> | undefined

  /** From rows of the store, in the order of time. Whatever of it had ended already ends once more, as it was. */
  static of(periods: readonly Period[]): RollUps {
    const rollUps = new RollUps()
    const newest = periods.findLast(({ periodS }) => periodS === 300)
    if (newest) for (const period of periods) rollUps.#restore(period, newest.at)
    return rollUps
  }

  /** Returns the periods that have ended. */
  looked(at: number, { latencyMs, signals, instance = '' }: Look): Period[] {
    const ended = this.endedBy(at)
    this.#five ??= new Period(300, at)
    this.#five.look(latencyMs)
    if (latencyMs !== null) this.#lastHour.add(latencyMs)
    if (signals) this.#count(this.#five, at, instance, signals)
    return ended
  }

  /** Ends what is over. */
  endedBy(now: number): Period[] {
    const ended: Period[] = []
    if (this.#five && this.#five.end <= now) {
      const five = this.#five
      ended.push(five)
      this.#keepOfLastHour(five)
      this.#hour ??= new Period(3600, five.at)
      this.#hour.merge(five)
      this.#five = undefined
      this.#observedS = undefined
    }
    if (this.#hour && this.#hour.end <= now) {
      ended.push(this.#hour)
      this.#day ??= new Period(86_400, this.#hour.at)
      this.#day.merge(this.#hour)
      this.#hour = undefined
    }
    if (this.#day && this.#day.end <= now) {
      ended.push(this.#day)
      this.#day = undefined
    }
    return ended
  }

  latency(now: number): Percentiles {
    while (this.#ofLastHour.length > 0 && this.#ofLastHour[0]!.end <= now - hourS) {
      this.#lastHour.subtract(Buckets.parse(this.#ofLastHour.shift()!.latency))
    }
    return this.#lastHour.percentiles()
  }

  /** What has not ended yet, of one length. */
  underWay(periodS: number): Period | undefined {
    if (periodS === 300) return this.#five
    const whole = this.#underWayOf(periodS)
    for (const part of [periodS === 86_400 ? this.#hour : undefined, this.#five]) if (part) whole?.merge(part)
    return whole
  }

  /** Five minutes that are not over, to be gone on with. */
  unended(): Period | undefined {
    return this.#five
  }

  /** A clock that was set back was wrong: what it began after this second never ends. */
  cut(second: number): void {
    if (this.#five && this.#five.at > second) this.#five = undefined
    if (this.#hour && this.#hour.at > second) this.#hour = undefined
    if (this.#day && this.#day.at > second) this.#day = undefined
    if (this.#ofLastHour.every(({ end }) => end <= second + 300)) return
    this.#ofLastHour.length = 0
    this.#lastHour = new Buckets()
    if (this.#five) this.#lastHour.merge(this.#five.latency)
  }

  forgetInstance(instance: string): void {
    this.#increases?.forget(instance)
  }

  #count(five: Period, at: number, instance: string, signals: Signals): void {
    five.memory(signals.memoryBytes)
    this.#increases ??= new Increases()
    const increase = this.#increases.since(instance, at, signals)
    if (!increase) return
    this.#observedS ??= new Map()
    const before = Math.max(0, ...this.#observedS.values())
    const mine = (this.#observedS.get(instance) ?? 0) + increase.seconds
    this.#observedS.set(instance, mine)
    five.grow(increase, Math.max(0, mine - before))
  }

  #keepOfLastHour({ end, latency }: Period): void {
    if (latency.total > 0) this.#ofLastHour.push({ end, latency: `${latency}` })
  }

  #underWayOf(periodS: number): Period | undefined {
    const begun = periodS === 3600 ? this.#hour : this.#day
    const part = begun ?? this.#hour ?? this.#five
    if (!part) return undefined
    const whole = new Period(periodS === 3600 ? 3600 : 86_400, part.at)
    if (begun) whole.merge(begun)
    return whole
  }

  #restore(period: Period, newestAt: number): void {
    const [hour, day] = [newestAt - (newestAt % hourS), newestAt - (newestAt % dayS)]
    if (period.periodS === 3600 && period.at >= day && period.at < hour) {
      this.#day ??= new Period(86_400, period.at)
      this.#day.merge(period)
    }
    if (period.periodS !== 300) return
    this.#lastHour.merge(period.latency)
    if (period.at === newestAt) {
      this.#five = period
      return
    }
    this.#keepOfLastHour(period)
    if (period.at < hour) return
    this.#hour ??= new Period(3600, period.at)
    this.#hour.merge(period)
  }
}
