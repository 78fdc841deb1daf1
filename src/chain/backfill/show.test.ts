import { describe, expect, test } from 'vitest'

import { type BackfillResult, summarize } from './show.js'

const result: BackfillResult = {
  range: { fromBlock: 500, toBlock: 2_499 },
  blocks: 2_000,
  fills: 12_345,
  replaced: undefined,
  isRebuilt: true,
  ledgerFrom: { before: 2_500, now: 500 },
  possibleFrom: 500,
  holeBelow: undefined,
  unread: undefined,
}

/** The ledger begins where it did. */
const LEFT = { ledgerFrom: { before: 500, now: 500 }, isRebuilt: false }

describe('the summary of a backfill', () => {
  test('says what was read and where the ledger begins', () => {
    expect(summarize(result, 130)).toBe(
      'Read 2,000 blocks with 12,345 fills in 2m 10s: blocks 500 to 2499 are here.\n' +
        'The ledger begins at block 500 now; before, at 2500.',
    )
  })

  test('says that all of it was here', () => {
    expect(summarize({ ...result, blocks: 0, ...LEFT }, 1)).toBe(
      'Nothing was missing: blocks 500 to 2499 are here already.\n' +
        'The ledger begins at block 500, as before.\n' +
        'Stored facts are not replaced. If an audit found differences: auspex backfill --again --from 500 --to 2499',
    )
  })

  test('says how the ledger can begin earlier', () => {
    const ledgerFrom = { before: 2_500, now: 2_500 }
    expect(summarize({ ...result, ledgerFrom, isRebuilt: false }, 1)).toContain(
      'The ledger begins at block 2500. The same command without --facts-only lets it begin at 500.',
    )
  })

  test('says what is missing below', () => {
    const holeBelow = { fromBlock: 300, toBlock: 499 }
    expect(summarize({ ...result, holeBelow }, 1)).toContain(
      'Blocks 300 to 499 are missing between it and older ones that are here.',
    )
  })
})

describe('the summary of blocks that were read again', () => {
  const again = { ...result, ...LEFT, replaced: new Map<string, number>() }

  test('says that nothing differed, and that the ledger was rebuilt all the same', () => {
    expect(summarize({ ...again, isRebuilt: true }, 130)).toBe(
      'Read 2,000 blocks with 12,345 fills again in 2m 10s, up to block 2499.\n' +
        'What is stored of them is what the node has.\n' +
        'The ledger was rebuilt from the facts. It begins at block 500, as before.',
    )
  })

  test('names the tables that were corrected, and what is left to do', () => {
    const replaced = new Map([
      ['fills', 1_200],
      ['wallets', 1],
    ])
    expect(summarize({ ...again, replaced }, 1)).toContain(
      'Corrected rows: 1,200 of fills, 1 of wallets.\n' +
        'The ledger is as it was. The same command without --facts-only rebuilds it.',
    )
  })

  test('of an attempt that was stopped in the middle says what was not read', () => {
    const unread = { fromBlock: 900, toBlock: 2_499 }
    expect(summarize({ ...result, blocks: 0, unread }, 1)).toContain(
      'To read them: auspex backfill --again --from 900 --to 2499',
    )
  })
})
