import { describe, expect, test } from 'vitest'
import { ALICE, at, BOB, decimal, MARKET_FIELDS, NO, YES } from './test-tape.js'
import { logAt, tell, tellOne } from './test-tell.js'

describe('position_change', () => {
  const transfer = {
    sub: 0,
    from: ALICE,
    to: BOB,
    token: NO,
    amount: 5_500_000n,
    isInternal: false,
  }

  test('tells who gave what to whom', () => {
    const { event, data } = tellOne('position_change', { transfers: [{ ...at(7), ...transfer }] })
    expect(data).toEqual({
      event_type: 'position_change',
      ...logAt(7),
      from: ALICE,
      to: BOB,
      token_id: decimal(NO),
      amount: 5.5,
      transfer_type: 'single',
      outcome: 'No',
      ...MARKET_FIELDS,
    })
    expect(event?.keys.wallets).toEqual([ALICE, BOB])
  })

  test('several of one log are a batch, and inner moves are no news', () => {
    const events = tell({
      transfers: [
        { ...at(7), ...transfer },
        { ...at(7), ...transfer, sub: 1, token: YES },
        { ...at(8), ...transfer, isInternal: true },
      ],
    })
    const kinds = events.flatMap(({ data }) => data.transfer_type ?? [])
    expect(kinds).toEqual(['batch', 'batch'])
  })
})
