import { describe, expect, test } from 'vitest'
import { ALICE, address, at } from './test-tape.js'
import { logAt, PUSD, tell, tellOne } from './test-tell.js'

describe('deposit', () => {
  const flow = { from: address('d1'), to: ALICE, asset: PUSD, amount: 1_234_567n }

  test.each(['deposit', 'withdrawal'] as const)('%s', (kind) => {
    const { event, data } = tellOne('deposit', { flows: [{ ...at(4), ...flow, kind }] })
    expect(data).toEqual({
      event_type: 'deposit',
      ...logAt(4),
      from: address('d1'),
      to: ALICE,
      amount: 1.234567,
      direction: kind,
    })
    expect(event?.keys).toMatchObject({ wallets: [address('d1'), ALICE], sizeUsd: 1.234567 })
  })

  test('money that stays inside is no news', () => {
    const flows = [
      { ...at(4), ...flow, kind: 'transfer' as const },
      { ...at(5), ...flow, kind: 'perps_deposit' as const },
    ]
    expect(tell({ flows }).map(({ type }) => type)).toEqual(['block'])
  })
})
