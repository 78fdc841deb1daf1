import { describe, expect, test } from 'vitest'
import { binaryConditionOf } from '../contracts/structured-ids.js'
import { Catalogue } from './catalogue.js'
import type { MarketEvent } from './market.js'
import { Prices } from './prices.js'
import { INTERVALS } from './windows.js'

const DAY_MS = 86_400_000
/** Two weeks in which the clocks of New York are set back. */
const START_MS = Date.UTC(2026, 9, 25)
const END_MS = START_MS + 14 * DAY_MS

const open = (startMs: number) => {
  const v1StartMs = Date.UTC(2026, 3, 20, 14)
  return new Catalogue({ seed: 8, startMs, v1StartMs, prices: new Prices(8) })
}
const catalogue = open(START_MS)
const events = catalogue.extendTo(END_MS)
const markets = events.flatMap((event) => event.markets)
const windows = events.filter(({ window }) => window !== undefined)
const topics = events.filter(({ window }) => window === undefined)

const areUnique = (values: readonly unknown[]) => new Set(values).size === values.length

describe('two weeks of events', () => {
  test('are the same whether they are made at once or bit by bit', () => {
    const other = open(START_MS)
    const made: MarketEvent[] = []
    const untilMs = START_MS + 3 * DAY_MS
    for (let toMs = START_MS; toMs <= untilMs; toMs += DAY_MS / 8) made.push(...other.extendTo(toMs))
    const show = ({ id, slug, createdMs, model }: MarketEvent) => ({ id, slug, createdMs, model })
    const byThen = events.filter(({ createdMs }) => createdMs <= untilMs)
    expect(made.map(show)).toEqual(byThen.map(show))
  })

  test('have no id, slug, question or condition twice', () => {
    expect(events.length).toBeGreaterThan(40_000)
    expect(areUnique(events.map(({ id }) => id))).toBe(true)
    expect(areUnique(events.map(({ slug }) => slug))).toBe(true)
    expect(areUnique(markets.map(({ id }) => id))).toBe(true)
    expect(areUnique(markets.map(({ slug }) => slug))).toBe(true)
    expect(areUnique(markets.map(({ requestId }) => requestId))).toBe(true)
    expect(areUnique(markets.map(({ conditionId }) => conditionId))).toBe(true)
    expect(areUnique(markets.map(({ conditionId }) => binaryConditionOf(conditionId)))).toBe(true)
  })

  test('come up in order, before they end, and are resolved after that', () => {
    const created = events.map(({ createdMs }) => createdMs)
    expect(created).toEqual(created.toSorted((a, b) => a - b))
    expect(events.filter(({ createdMs, endMs }) => createdMs >= endMs)).toEqual([])
    expect(markets.filter(({ endMs, resolvesMs }) => endMs >= resolvesMs)).toEqual([])
  })

  test('have slugs that can stand in an address', () => {
    const slugs = [...events, ...markets].map(({ slug }) => slug)
    expect(slugs.filter((slug) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))).toEqual([])
  })
})

describe('windows', () => {
  test('follow each other without a gap in every series', () => {
    for (const series of catalogue.series) {
      const own = windows.filter((event) => event.series === series)
      const sorted = own.toSorted((a, b) => a.endMs - b.endMs)
      const starts = sorted.slice(1).map(({ window }) => window?.startMs)
      expect(starts).toEqual(sorted.slice(0, -1).map(({ window }) => window?.endMs))
    }
    expect(new Set(windows.map((event) => event.series)).size).toBe(7 * INTERVALS.length)
  })

  test('come up a day ahead, and are resolved 53 to 90 seconds after their end', () => {
    const isLate = ({ window, createdMs }: MarketEvent) => {
      const aheadMs = (window?.startMs ?? 0) - createdMs
      return aheadMs >= DAY_MS || aheadMs <= DAY_MS - 120_000
    }
    const settled = windows.filter(({ createdMs }) => createdMs > START_MS + DAY_MS)
    expect(settled.filter(isLate)).toEqual([])
    const delaysMs = windows.map(({ endMs, markets: own }) => (own[0]?.resolvesMs ?? 0) - endMs)
    expect(Math.min(...delaysMs.slice(0, 9_999))).toBeGreaterThanOrEqual(53_000)
    expect(Math.max(...delaysMs.slice(0, 9_999))).toBeLessThanOrEqual(90_000)
  })
})

describe('topics', () => {
  test('cover what people bet on, alone, in groups and on prices of coins', () => {
    const categories = new Set(topics.map(({ category }) => category))
    for (const category of ['Politics', 'Culture', 'Economy', 'Weather', 'Tech', 'Crypto']) {
      expect(categories).toContain(category)
    }
    expect(topics.some(({ markets: own }) => own.length === 1)).toBe(true)
    expect(topics.some(({ negRisk }) => negRisk !== undefined)).toBe(true)
  })

  test('strikes go up, and lie on round numbers around the price', () => {
    const strikes = topics.flatMap(({ model }) => (model.kind === 'strikes' ? [model] : []))
    expect(strikes.length).toBeGreaterThan(10)
    for (const { strikesE8 } of strikes) {
      expect(strikesE8).toEqual([...new Set(strikesE8)].sort((a, b) => a - b))
      for (const strikeE8 of strikesE8) expect(strikeE8 % 1e8).toBe(0)
    }
  })

  test('exactly one of exclusive questions of opinion comes true', () => {
    for (const { model, negRisk } of topics) {
      if (model.kind !== 'opinion' || !model.exclusive) continue
      expect(negRisk).toBeDefined()
      expect(model.truths.filter(([yes]) => yes === 1)).toHaveLength(1)
      expect(model.priors.reduce((sum, prior) => sum + prior, 0)).toBeCloseTo(1)
    }
  })
})

describe('looking things up', () => {
  test('finds what there is by each of its names, and nothing else', () => {
    const market = topics[0]?.markets[0]
    if (market === undefined) throw new Error('there are no topics')
    expect(catalogue.eventById(market.event.id)).toBe(market.event)
    expect(catalogue.eventBySlug(market.event.slug)).toBe(market.event)
    expect(catalogue.marketById(market.id)).toBe(market)
    expect(catalogue.marketBySlug(market.slug)).toBe(market)
    expect(catalogue.marketByCondition(market.conditionId)).toBe(market)
    expect(catalogue.eventById('no')).toBeUndefined()
  })

  test('finds a token whose id was not derived yet', () => {
    const [first, second] = [open(START_MS), open(START_MS)]
    for (const each of [first, second]) each.extendTo(START_MS + 60_000)
    const market = first.extendTo(START_MS + 120_000)[0]?.markets[0]
    second.extendTo(START_MS + 120_000)
    expect(second.token(market?.tokens[1].decimal ?? '')?.of).toMatchObject({ id: market?.id })
    expect(second.token('12345')).toBeUndefined()
  })

  test('shows an event when its time has come', () => {
    const fresh = open(START_MS)
    const [next] = fresh.extendTo(START_MS + 60_000).slice(-1)
    const createdMs = next?.createdMs ?? 0
    expect(fresh.publish(createdMs - 1)).not.toContain(next)
    expect(fresh.publish(createdMs)).toContain(next)
    expect(fresh.publish(createdMs)).toEqual([])
    expect(fresh.events()).toContain(next)
  })
})
