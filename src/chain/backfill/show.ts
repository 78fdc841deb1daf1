import { formatCount, formatSeconds, type Output, Progress } from '../../lib/progress.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Batch } from '../follow/block-sink.js'

export type BackfillResult = {
  range: BlockRange
  blocks: number
  fills: number
  /** First block of the ledger before and after. */
  ledgerFrom: { before: number; now: number }
  /** First block that the stored facts allow the ledger to have. */
  possibleFrom: number
  /** What keeps it from beginning earlier; `undefined`: no older facts are stored. */
  holeBelow: BlockRange | undefined
}

/** Interval of progress lines in a file or a pipe. */
const LINES_MS = 10_000

/** Shows how far the reading of so many blocks has come. */
export function showReading(total: number, line: { readonly fills: number }, out: Output) {
  const title = 'Reading the chain'
  const progress = new Progress({ title, unit: 'blocks', total, out, linesMs: LINES_MS })
  const startMs = performance.now()
  let blocks = 0
  const show = (note: string) => {
    const seconds = (performance.now() - startMs) / 1_000
    progress.show(blocks, [`${formatCount(line.fills / seconds)} fills/s`, note].join('  ').trim())
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
export function showRebuild(fromBlock: number, out: Output) {
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
      })
      progress.show(done)
    },
    onBusy: () => progress?.show(done, 'waiting for readers of the ledger'),
    end: () => progress?.end(),
  }
}

/** What was done, in a few lines. */
export function summarize(result: BackfillResult, seconds: number): string {
  const { range, blocks, fills, ledgerFrom, possibleFrom, holeBelow } = result
  const lines = [
    blocks === 0
      ? `Blocks ${showRange(range)} are here already.`
      : `Read ${formatCount(blocks)} blocks with ${formatCount(fills)} fills in ${formatSeconds(seconds)}: blocks ${showRange(range)} are here.`,
  ]
  if (ledgerFrom.now < ledgerFrom.before) {
    lines.push(`The ledger begins at block ${ledgerFrom.now} now; before, at ${ledgerFrom.before}.`)
  } else if (possibleFrom < ledgerFrom.now) {
    lines.push(
      `The ledger begins at block ${ledgerFrom.now}. The same command without --facts-only lets it begin at ${possibleFrom}.`,
    )
  } else {
    lines.push(`The ledger begins at block ${ledgerFrom.now}, as before.`)
  }
  if (holeBelow !== undefined) {
    lines.push(
      `Blocks ${showRange(holeBelow)} are missing between it and older ones that are here.`,
    )
  }
  return lines.join('\n')
}

const showRange = ({ fromBlock, toBlock }: BlockRange): string => `${fromBlock} to ${toBlock}`
