import { formatCount, formatSeconds, type Output, Progress } from '../../lib/progress.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Batch } from '../read/batch.js'

export type BackfillResult = {
  range: BlockRange
  blocks: number
  fills: number
  /** Rows that differed from what was read again, by table; `undefined`: nothing was read again. */
  replaced: ReadonlyMap<string, number> | undefined
  isRebuilt: boolean
  /** First block of the ledger before and after. */
  ledgerFrom: { before: number; now: number }
  /** First block that the stored facts allow the ledger to have. */
  possibleFrom: number
  /** What keeps it from beginning earlier; `undefined`: no older facts are stored. */
  holeBelow: BlockRange | undefined
  /** Blocks that an earlier attempt was to read again, and did not. */
  unread: BlockRange | undefined
}

/** Interval of progress lines in a file or a pipe. */
const LINES_MS = 10_000

type ShowOptions = { out: Output; timing?: Timing | undefined }

/** Shows how far the reading of this many blocks has come. */
export function showReading(
  title: string,
  total: number,
  reader: { readonly fills: number },
  { out, timing = systemTiming }: ShowOptions,
) {
  const progress = new Progress({ title, unit: 'blocks', total, out, linesMs: LINES_MS, clock: timing })
  const startMs = performance.now()
  let blocks = 0
  const show = (note: string) => {
    const seconds = (performance.now() - startMs) / 1_000
    progress.show(blocks, [`${formatCount(reader.fills / seconds)} fills/s`, note].join('  ').trim())
  }
  show('')
  return {
    onBatch({ fromBlock, toBlock }: Batch): void {
      blocks += toBlock - fromBlock + 1
      show('')
    },
    onFault: (message: string) => show(`waiting for the node: ${message}`),
    end: () => progress.end(),
  }
}

/** Shows how far a new ledger from this block on has come. */
export function showRebuild(fromBlock: number, { out, timing = systemTiming }: ShowOptions) {
  let progress: Progress | undefined
  let done = 0
  return {
    onProgress(block: number, lastBlock: number): void {
      done = block - fromBlock + 1
      progress ??= new Progress({
        title: 'Making the ledger',
        unit: 'blocks',
        total: lastBlock - fromBlock + 1,
        from: done,
        out,
        linesMs: LINES_MS,
        clock: timing,
      })
      progress.show(done)
    },
    onBusy: () => progress?.show(done, 'waiting for readers of the ledger'),
    end: () => progress?.end(),
  }
}

/** What was done, in a few lines. */
export function summarize(result: BackfillResult, seconds: number): string {
  const { range, ledgerFrom, possibleFrom, holeBelow, unread, replaced, isRebuilt } = result
  const lines = replaced === undefined ? [showRead(result, seconds)] : showReplaced(result, replaced, seconds)
  if (ledgerFrom.now < ledgerFrom.before) {
    lines.push(`The ledger begins at block ${ledgerFrom.now} now; before, at ${ledgerFrom.before}.`)
  } else if (isRebuilt) {
    lines.push(`The ledger was rebuilt from the facts. It begins at block ${ledgerFrom.now}, as before.`)
  } else if (replaced !== undefined) {
    lines.push('The ledger is as it was. The same command without --facts-only rebuilds it.')
  } else if (possibleFrom < ledgerFrom.now) {
    lines.push(
      `The ledger begins at block ${ledgerFrom.now}. The same command without --facts-only lets it begin at ${possibleFrom}.`,
    )
  } else {
    lines.push(`The ledger begins at block ${ledgerFrom.now}, as before.`)
  }
  if (unread !== undefined) {
    lines.push(
      `An earlier --again was stopped: blocks ${showRange(unread)} were not read again. To read them: auspex backfill --again --from ${unread.fromBlock} --to ${unread.toBlock}`,
    )
  }
  if (replaced === undefined && result.blocks === 0) {
    lines.push(
      `Stored facts are not replaced. If an audit found differences: auspex backfill --again --from ${range.fromBlock} --to ${range.toBlock}`,
    )
  }
  if (holeBelow !== undefined) {
    lines.push(`Blocks ${showRange(holeBelow)} are missing between it and older ones that are here.`)
  }
  return lines.join('\n')
}

const showRead = ({ range, blocks, fills }: BackfillResult, seconds: number): string =>
  blocks === 0
    ? `Nothing was missing: blocks ${showRange(range)} are here already.`
    : `Read ${formatCount(blocks)} blocks with ${formatCount(fills)} fills in ${formatSeconds(seconds)}: blocks ${showRange(range)} are here.`

function showReplaced(
  { range, blocks, fills }: BackfillResult,
  replaced: ReadonlyMap<string, number>,
  seconds: number,
): string[] {
  const rows = [...replaced].map(([table, count]) => `${formatCount(count)} of ${table}`)
  return [
    blocks === 0
      ? `Blocks ${showRange(range)} had been read again already.`
      : `Read ${formatCount(blocks)} blocks with ${formatCount(fills)} fills again in ${formatSeconds(seconds)}, up to block ${range.toBlock}.`,
    rows.length === 0
      ? 'What is stored of them is what the node has.'
      : `Corrected rows: ${rows.join(', ')}.`,
  ]
}

const showRange = ({ fromBlock, toBlock }: BlockRange): string => `${fromBlock} to ${toBlock}`
