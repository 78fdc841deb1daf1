import { describe, expect, test } from 'vitest'
import { chooseAgainRange, chooseRange } from './choose-range.js'

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

describe('the range of blocks that are read again', () => {
  const choose = (wanted: Parameters<typeof chooseRange>[1], change = {}, factsOnly = false) =>
    chooseAgainRange({ ...state, ...change }, 800, { ...wanted, factsOnly })

  test.each([
    [{}, 800, 2_000],
    [{ fromBlock: 900 }, 900, 2_000],
    [{ toBlock: 900 }, 800, 900],
    [{ fromBlock: 1_500, toBlock: 1_500 }, 1_500, 1_500],
  ])('%j is %d to %d', (wanted, fromBlock, toBlock) => {
    expect(choose(wanted)).toEqual({ fromBlock, toBlock })
  })

  test.each([
    ['it runs backwards', { fromBlock: 1_700, toBlock: 1_500 }, '--to 1500 is below --from 1700.'],
    [
      'it is above the head',
      { toBlock: 2_001 },
      'Block 2001 is not booked yet, and so cannot be read again: the last booked block is 2000. Leave --to out to read up to it.',
    ],
    [
      'it was never read',
      { fromBlock: 799 },
      'Nothing below block 800 was read yet: use --again with --from 800 or later.\n' +
        '`auspex backfill --from 799` without --again reads the blocks before it.',
    ],
  ])('is refused: %s', (_why, wanted, message) => {
    expect(() => choose(wanted)).toThrow(message)
  })

  test('is refused: the facts of the ledger were dropped, and only facts can be replaced', () => {
    const dropped = { keptFrom: 1_200 }
    expect(() => choose({}, dropped)).toThrow(
      'The facts below block 1200 were dropped (AUSPEX_RETENTION_DAYS), so the ledger, which begins at 1000, cannot be rebuilt from the facts.\n' +
        'With --facts-only the facts from block 1200 on are replaced and the ledger stays as it is.',
    )
    expect(choose({}, dropped, true)).toEqual({ fromBlock: 1_200, toBlock: 2_000 })
    expect(() => choose({ fromBlock: 1_100 }, dropped, true)).toThrow('use --from 1200 or later')
    expect(choose({}, { keptFrom: 900 })).toEqual({ fromBlock: 900, toBlock: 2_000 })
  })
})
