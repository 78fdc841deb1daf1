import { describe, expect, test } from 'vitest'

import { type BackfillResult, summarize } from './show.js'

const result: BackfillResult = {
  range: { fromBlock: 500, toBlock: 2_499 },
  blocks: 2_000,
  fills: 12_345,
  ledgerFrom: { before: 2_500, now: 500 },
  possibleFrom: 500,
  holeBelow: undefined,
}

describe('the summary of a backfill', () => {
  test('says what was read and where the ledger begins', () => {
    expect(summarize(result, 130)).toBe(
      'Read 2,000 blocks with 12,345 fills in 2m 10s: blocks 500 to 2499 are here.\n' +
        'The ledger begins at block 500 now; before, at 2500.',
    )
  })

  test('says that all of it was here', () => {
    const ledgerFrom = { before: 500, now: 500 }
    expect(summarize({ ...result, blocks: 0, ledgerFrom }, 1)).toBe(
      'Blocks 500 to 2499 are here already.\nThe ledger begins at block 500, as before.',
    )
  })

  test('says how the ledger can begin earlier', () => {
    const ledgerFrom = { before: 2_500, now: 2_500 }
    expect(summarize({ ...result, ledgerFrom }, 1)).toContain(
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
