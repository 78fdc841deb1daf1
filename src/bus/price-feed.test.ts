import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { createLog } from '../lib/log.js'
import { Bus } from './bus.js'
import { type EventData, NO_KEYS } from './event.js'

const SEC = 1_790_000_000
const KEYS = { ...NO_KEYS, feed: 'BTC/USD', priceSource: 'spot' }

function textOf(data: EventData): string | undefined {
  const bus = new Bus({ clock: new ManualClock(), log: createLog('silent', process.stderr) })
  bus.publish([{ type: 'price_feed', timestampMs: SEC * 1_000, data, keys: KEYS }])
  return bus.replay({ afterId: 0 })[0]?.text
}

describe('the text of a price', () => {
  const data = {
    feed: 'BTC/USD',
    ...{ price: 101_234.5, bid: 101_230.1, ask: 101_238.9, timestamp: SEC },
  }

  test('repeats feed and seconds above the data, and nothing else', () => {
    expect(textOf(data)).toBe(
      `{"type":"price_feed","feed":"BTC/USD","timestamp":${SEC},"data":{"feed":"BTC/USD","price":101234.5,"bid":101230.1,"ask":101238.9,"timestamp":${SEC}}}`,
    )
  })

  test('says at both levels what mean it is', () => {
    const mean = { is_twap: true, twap_window_seconds: 60 }
    const head = { type: 'price_feed', feed: 'BTC/USD', timestamp: SEC }
    expect(JSON.parse(textOf({ ...data, ...mean }) ?? '')).toEqual({
      ...head,
      ...mean,
      data: { ...data, ...mean },
    })
  })
})
