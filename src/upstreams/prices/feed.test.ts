import { pino } from 'pino'
import { expect, test } from 'vitest'
import { until } from '../../../test/until.js'
import { createPriceFeed } from './feed.js'
import type {
  PriceGap,
  PriceListener,
  PriceSource,
  PriceSourceName,
  PriceTick,
  StoredStreams,
} from './source.js'

const log = pino({ level: 'silent' })

const tickOf = (source: PriceSourceName): PriceTick => ({
  coin: 'btc',
  kind: 'spot',
  source,
  provider: 'chainlink',
  timestampMs: 1_000,
  price: '1',
  priceE18: 10n ** 18n,
  receivedMs: 2_000,
})

/** A source that the test plays. */
function fakeSource(name: PriceSourceName) {
  let listener: PriceListener | undefined
  let stored: StoredStreams | undefined
  const source: PriceSource = {
    name,
    start: (_signal, feedListener, feedStored) => {
      listener = feedListener
      stored = feedStored
    },
    health: () => ({
      name,
      state: 'open',
      openedMs: 0,
      lastTickMs: undefined,
      lastTimestampMs: undefined,
    }),
  }
  return { source, say: () => listener, stored: () => stored?.('btc', 'spot') }
}

test('every source goes up under its own name, whatever happens to the others', () => {
  const rtds = fakeSource('rtds')
  const chainlink = fakeSource('chainlink')
  const broken: PriceSource = {
    ...fakeSource('live_v2').source,
    start: () => {
      throw new Error('broken')
    },
  }
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const feed = createPriceFeed({
    sources: [rtds.source, broken, chainlink.source],
    onTick: (tick) => ticks.push(tick),
    onGap: (gap) => gaps.push(gap),
    log,
  })
  feed.start(new AbortController().signal)
  rtds.say()?.onTick(tickOf('rtds'))
  chainlink.say()?.onTick(tickOf('chainlink'))
  rtds.say()?.onGap({ source: 'rtds', fromMs: 1, toMs: 2, reason: 'lost' })

  expect(ticks.map(({ source }) => source)).toEqual(['rtds', 'chainlink'])
  expect(gaps).toEqual([{ source: 'rtds', fromMs: 1, toMs: 2, reason: 'lost' }])
  expect(feed.health().map(({ name }) => name)).toEqual(['rtds', 'live_v2', 'chainlink'])
})

test('every source gets what the reader has stored of it', () => {
  const rtds = fakeSource('rtds')
  const chainlink = fakeSource('chainlink')
  const stored = { untilMs: 7_000, missing: [] }
  const feed = createPriceFeed({
    sources: [rtds.source, chainlink.source],
    onTick: () => undefined,
    onGap: () => undefined,
    stored: (coin, kind, source) =>
      `${coin} ${kind} ${source}` === 'btc spot chainlink' ? stored : undefined,
    log,
  })
  feed.start(new AbortController().signal)
  expect([rtds.stored(), chainlink.stored()]).toEqual([undefined, stored])
})

test('a reader that throws or rejects reaches neither the source nor the process', async () => {
  const rtds = fakeSource('rtds')
  const lines: string[] = []
  const feed = createPriceFeed({
    sources: [rtds.source],
    onTick: () => {
      throw new Error('reader')
    },
    onGap: async () => {
      throw new Error('reader')
    },
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
  })
  feed.start(new AbortController().signal)
  expect(() => rtds.say()?.onTick(tickOf('rtds'))).not.toThrow()
  rtds.say()?.onGap({ source: 'rtds', fromMs: 1, toMs: 2, reason: 'lost' })
  await until(() => lines.length === 2)
})
