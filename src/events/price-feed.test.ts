import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { Bus } from '../bus/bus.js'
import { createLog } from '../lib/log.js'
import { toPriceEvent } from '../prices/collect/collector.js'
import type { Stream } from '../prices/streams.js'
import { MESSAGES } from './registry.js'

const SEC = 1_790_000_000

function textOf(kind: Stream['kind']): string | undefined {
  const bus = new Bus({ clock: new ManualClock(), log: createLog('silent', process.stderr) })
  const tick = { stream: 0, sec: SEC, price: 101_234.5, bid: 101_230.1, ask: 101_238.9 }
  const draft = toPriceEvent({ symbol: 'BTC', kind, source: 'platform_oracle' }, tick)
  bus.publish(draft === undefined ? [] : [draft])
  return bus.replay({ afterSeq: 0 })[0]?.text.replace(/"seq":\d+/, '"seq":9')
}

describe('the message of a price', () => {
  test('repeats feed and seconds above the data, and its number', () => {
    expect(textOf('spot')).toBe(
      `{"type":"price_feed","feed":"BTC/USD","timestamp":${SEC},"seq":9,"data":{"feed":"BTC/USD","price":101234.5,"bid":101230.1,"ask":101238.9,"timestamp":${SEC},"source":"platform_oracle"}}`,
    )
  })

  test('names the mean at both levels', () => {
    const mean = { is_twap: true, twap_window_seconds: 60 }
    expect(JSON.parse(textOf('twap60') ?? '')).toMatchObject({ ...mean, data: mean })
  })

  test.each(['spot', 'twap30', 'twap60'] as const)('of %s matches the schema', (kind) => {
    const schema = MESSAGES.get('price_feed')?.schema ?? {}
    expect(Value.Errors(schema, JSON.parse(textOf(kind) ?? '{}'))).toEqual([])
  })
})
