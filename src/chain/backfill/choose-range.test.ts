import { describe, expect, test } from 'vitest'
import { chooseRange } from './choose-range.js'

const state = { ledgerFrom: 1_000, block: 2_000, blockTime: 1, keptFrom: null, epoch: 1 }

describe('the range of a backfill', () => {
  test.each([
    [{ fromBlock: 500 }, 500, 999],
    [{ fromBlock: 500, toBlock: 700 }, 500, 700],
    [{ fromBlock: 999 }, 999, 999],
    [{ fromBlock: 1_500 }, 1_500, 1_500],
    [{ fromBlock: 0, toBlock: 2_000 }, 0, 2_000],
  ])('%j is %d to %d', (wanted, fromBlock, toBlock) => {
    expect(chooseRange(state, wanted)).toEqual({ fromBlock, toBlock })
  })

  test.each([
    ['it runs backwards', { fromBlock: 700, toBlock: 500 }, '--to 500 is below --from 700.'],
    ['it is above the head', { fromBlock: 500, toBlock: 2_001 }, 'Block 2001 is not booked yet'],
    ['it begins above the head', { fromBlock: 3_000 }, 'Block 3000 is not booked yet'],
  ])('is refused: %s', (_why, wanted, message) => {
    expect(() => chooseRange(state, wanted)).toThrow(message)
  })

  test('is refused: there is no ledger yet', () => {
    const empty = { ...state, ledgerFrom: null, block: null }
    expect(() => chooseRange(empty, { fromBlock: 1 })).toThrow('There is no ledger yet')
  })

  test('is refused: it is too old to be kept', () => {
    const kept = { ...state, keptFrom: 900 }
    expect(chooseRange(kept, { fromBlock: 900 })).toEqual({ fromBlock: 900, toBlock: 999 })
    expect(() => chooseRange(kept, { fromBlock: 899 })).toThrow('below block 900 is too old')
  })
})
