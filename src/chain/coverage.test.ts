import { describe, expect, test } from 'vitest'
import { coverageOf } from './coverage.js'
import type { RangeRow, StateRow } from './queries.js'

const STATE: StateRow = { ledgerFrom: 500, block: 900, blockTime: 9_000, keptFrom: null, epoch: 0 }
const range = (fromBlock: number, toBlock: number): RangeRow => ({
  fromBlock,
  toBlock,
  fromTime: fromBlock * 10,
  toTime: toBlock * 10,
})

function coverage(state: StateRow, ranges: RangeRow[], kind: string) {
  const times = { ledgerFrom: 5_000, keptFrom: 7_000 }
  return coverageOf(state, ranges, times).find((row) => row.kind === kind)
}

describe('coverage', () => {
  test('lists every hole between the ranges that were read', () => {
    const ranges = [range(10, 19), range(30, 30), range(500, 900)]
    expect(coverage(STATE, ranges, 'fills')).toEqual({
      kind: 'fills',
      from: { block: 10, timeSec: 100 },
      to: { block: 900, timeSec: 9_000 },
      holes: [
        { fromBlock: 20, toBlock: 29 },
        { fromBlock: 31, toBlock: 499 },
      ],
    })
  })

  test('the ledger begins where its own range begins, without holes', () => {
    expect(coverage(STATE, [range(10, 19), range(500, 900)], 'positions')).toEqual({
      kind: 'positions',
      from: { block: 500, timeSec: 5_000 },
      to: { block: 900, timeSec: 9_000 },
      holes: [],
    })
  })

  test('what the retention dropped is not there, and small tables keep everything', () => {
    const state = { ...STATE, keptFrom: 700 }
    const ranges = [range(10, 19), range(500, 900)]
    expect(coverage(state, ranges, 'fills')).toMatchObject({
      from: { block: 700, timeSec: 7_000 },
      holes: [],
    })
    expect(coverage(state, ranges, 'pnl_events')?.from?.block).toBe(700)
    expect(coverage(state, ranges, 'conversions')?.from?.block).toBe(10)
    expect(coverage(state, ranges, 'positions')?.from?.block).toBe(500)
  })

  test('before the first block nothing has ends', () => {
    const state = { ...STATE, ledgerFrom: null, block: null, blockTime: null }
    for (const row of coverageOf(state, [], { ledgerFrom: undefined, keptFrom: undefined })) {
      expect(row).toMatchObject({ from: undefined, to: undefined, holes: [] })
    }
  })
})
