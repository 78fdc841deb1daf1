import { describe, expect, test } from 'vitest'
import { formatEvent, formatLines, type TailEvent } from './event-line.js'
import { makeTrade } from './test-stream-server.js'

const WALLET = `0x39d8${'0'.repeat(32)}8d90`
const timestamp = 1_794_823_203_412
const plain = (event: TailEvent) => formatEvent(event, { hasColour: false, width: undefined })

describe('formatEvent', () => {
  test.each<[string, TailEvent, string]>([
    [
      'a trade',
      makeTrade(1, { maker: WALLET, outcome: 'Up', market_title: 'Bitcoin Up or Down' }),
      '10:00:03.412  trade            BUY       1,250.00     0.55       $687.50  0x39d8…8d90  Up · Bitcoin Up or Down',
    ],
    [
      'a pending match',
      {
        type: 'settlement',
        timestamp,
        data: {
          status: 'pending',
          taker_side: 'SELL',
          taker_size: 10,
          taker_price: 0.125,
          taker_wallet: WALLET,
          outcome: 'No',
          market_title: 'Rain?',
        },
      },
      '10:00:03.412  settlement       SELL         10.00    0.125         $1.25  0x39d8…8d90  pending · No · Rain?',
    ],
    [
      'a flat fill, whose time is in seconds',
      {
        type: 'event',
        data: {
          side: 'BUY',
          shares_normalized: 25,
          price: 0.64,
          user: WALLET,
          token_label: 'Up',
          title: 'Bitcoin',
          timestamp: 1_794_823_203,
        },
      },
      '10:00:03.000  fill             BUY          25.00     0.64        $16.00  0x39d8…8d90  Up · Bitcoin',
    ],
    [
      'a coin price',
      {
        type: 'price_feed',
        timestamp: 1_794_823_203,
        data: { feed: 'BTC/USD', price: 101234.5, bid: 1, ask: 2 },
      },
      '10:00:03.000  price_feed                                                               BTC/USD · 101,234.50 · bid 1.00 · ask 2.00',
    ],
    [
      'a type that it does not know',
      { type: 'novel', timestamp, data: { a: 1 } },
      '10:00:03.412  novel                                                                    {"a":1}',
    ],
    ['a message without anything', { type: 'trade' }, '              trade'],
  ])('%s', (_what, event, line) => {
    expect(plain(event)).toBe(line)
  })

  test('changes of a book: a line for each level, with the time of their message', () => {
    const level = (price: string, side: string) => ({
      asset_id: '7',
      outcome: 'Up',
      price,
      size: '12.5',
      side,
      best_bid: '0.55',
    })
    const event = {
      type: 'price_change',
      market: '0x1',
      slug: 'btc',
      assets: [level('0.55', 'BUY'), level('0.57', 'SELL')],
    }
    expect(formatLines(event, { hasColour: false, width: undefined, sentMs: timestamp })).toEqual([
      '10:00:03.412  price_change     BUY          12.50     0.55                             best 0.55 / - · Up · btc',
      '10:00:03.412  price_change     SELL         12.50     0.57                             best 0.55 / - · Up · btc',
    ])
  })

  test('titles cannot control the terminal', () => {
    const line = plain(makeTrade(1, { market_title: 'a\x1b[2Jb\u202ec\x9bd\n' }))
    expect(line).toMatch(/a\[2Jbcd$/)
  })

  test('lines are as wide as the terminal at most, with and without colours', () => {
    const event = makeTrade(1, { outcome: 'Up', market_title: 'x'.repeat(300) })
    expect(formatEvent(event, { hasColour: false, width: 100 })).toHaveLength(100)
    const coloured = formatEvent(event, { hasColour: true, width: 100 })
    expect(coloured).toContain('\x1b[32mBUY \x1b[0m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(coloured.replace(/\x1b\[\d+m/g, '')).toHaveLength(100)
  })

  test.each([
    'settlement',
    'fill',
    'status_update',
    'trade',
    'position_change',
    'position_split',
    'position_merge',
    'positions_converted',
    'redemption',
    'deposit',
    'oracle',
    'block',
    'reorg',
    'combo_execution',
    'combo_status_update',
    'combo_lifecycle',
    'combo_approval',
    'price_feed',
    'book_snapshot',
    'price_change',
    'book_update',
    'last_trade_price',
    'stale',
  ])('%s: takes any data', (type) => {
    for (const data of [{}, null, 7, { legs: 3, assets: [null], bids: [1], timestamp: 'x', size: {} }]) {
      expect(plain({ type, timestamp: Number.MAX_VALUE, data })).toContain(type)
    }
  })
})
