import type { RangeRow, StateRow } from './queries.js'

/** Kinds of data, by what their history depends on. */
const BIG_FACTS = ['fills', 'transfers', 'splits', 'redemptions', 'fees', 'collateral_flows', 'pnl_events']
const SMALL_FACTS = [
  'conversions',
  'migrations',
  'condition_preparations',
  'condition_resolutions',
  'oracle_events',
  'combos',
]
const LEDGER = ['balances', 'positions', 'wallet_totals', 'candles', 'builder_totals']

export type BlockTime = { block: number; timeSec: number | undefined }
export type Hole = { fromBlock: number; toBlock: number }

/** From where to where one kind of data is known. Nothing is known: no ends. */
export type KindCoverage = {
  kind: string
  from: BlockTime | undefined
  to: BlockTime | undefined
  holes: Hole[]
}

/**
 * What is known of each kind of data. Facts are known in every range that was read; the ledger has
 * folded only the last of these ranges, without a gap.
 */
export function coverageOf(
  state: StateRow,
  ranges: readonly RangeRow[],
  times: { ledgerFrom: number | undefined; keptFrom: number | undefined },
): KindCoverage[] {
  const facts = coverageOfRanges(ranges, state)
  const kept = coverageOfRanges(
    state.keptFrom === null ? ranges : clipRanges(ranges, state.keptFrom, times.keptFrom),
    state,
  )
  const ledger =
    state.ledgerFrom === null || state.block === null
      ? NOTHING
      : {
          from: { block: state.ledgerFrom, timeSec: times.ledgerFrom },
          to: { block: state.block, timeSec: state.blockTime ?? undefined },
          holes: [],
        }
  return [
    ...BIG_FACTS.map((kind) => ({ kind, ...(kind === 'pnl_events' ? later(ledger, kept) : kept) })),
    ...SMALL_FACTS.map((kind) => ({ kind, ...facts })),
    ...LEDGER.map((kind) => ({ kind, ...ledger })),
  ]
}

type Coverage = Omit<KindCoverage, 'kind'>

const NOTHING: Coverage = { from: undefined, to: undefined, holes: [] }

function coverageOfRanges(ranges: readonly RangeRow[], head: StateRow): Coverage {
  const [first] = ranges
  const last = ranges.at(-1)
  if (first === undefined || last === undefined) return NOTHING
  const holes: Hole[] = []
  for (const [index, range] of ranges.entries()) {
    const next = ranges[index + 1]
    if (next !== undefined) holes.push({ fromBlock: range.toBlock + 1, toBlock: next.fromBlock - 1 })
  }
  return {
    from: { block: first.fromBlock, timeSec: first.fromTime ?? undefined },
    // The last block may have had no facts, and then only the state has its time.
    to: {
      block: last.toBlock,
      timeSec: (last.toBlock === head.block ? head.blockTime : last.toTime) ?? undefined,
    },
    holes,
  }
}

function clipRanges(
  ranges: readonly RangeRow[],
  fromBlock: number,
  fromTime: number | undefined,
): RangeRow[] {
  return ranges
    .filter(({ toBlock }) => toBlock >= fromBlock)
    .map((range) =>
      range.fromBlock >= fromBlock ? range : { ...range, fromBlock, fromTime: fromTime ?? null },
    )
}

/** Profit and loss begins where the ledger does, or later where old rows were dropped. */
function later(ledger: Coverage, kept: Coverage): Coverage {
  if (ledger.from === undefined || kept.from === undefined) return ledger
  return kept.from.block > ledger.from.block ? { ...ledger, from: kept.from } : ledger
}
