import { toIsoTime } from '../core/unix-time.js'
import { formatCount } from '../lib/progress.js'
import { formatTable } from '../lib/table.js'
import type { ComparedSpan, PlatformDifference, WalletComparison } from './wallet-comparison.js'

/** How one wallet came out: compared, or why not. */
export type WalletOutcome = WalletComparison | { wallet: string; error: string }

/** Of one wallet, in the table. */
const SHOWN_MAX = 50

/** What is compared, as the first lines of the report. */
export const formatSpan = (url: string, { fromSec, toSec, headBlock }: ComparedSpan): string =>
  [
    `Comparing with ${url}`,
    `from ${showTime(fromSec)} to ${showTime(toSec)} (booked up to block ${headBlock})`,
  ].join('\n')

/** A line on the wallet, and below it a table of what differs. */
export function formatOutcome(outcome: WalletOutcome): string {
  const { wallet } = outcome
  if ('error' in outcome) return `${wallet}: could not be compared: ${outcome.error}`
  const { differences } = outcome
  const head = `${wallet}: ${summarize(outcome)}`
  if (differences.length === 0) return head
  const rows = differences.slice(0, SHOWN_MAX).map(toRow)
  const table = formatTable([['WHAT', 'WHERE', 'FIELD', 'OURS', 'THEIRS', 'BY'], ...rows])
  const more = differences.length - rows.length
  const lines = table.split('\n').map((line) => `  ${line}`)
  if (more > 0) lines.push(`  and ${formatCount(more)} more; --json has all of them`)
  return [head, ...lines].join('\n')
}

function summarize({ positions, trades, tooNew, tooOld, differences }: WalletComparison): string {
  const counted = `${count(positions, 'position')} and ${count(trades, 'trade')}`
  const same = differences.length === 0 ? 'the same' : count(differences.length, 'difference')
  const left = [
    ...(tooNew === 0 ? [] : [`${formatCount(tooNew)} too new`]),
    ...(tooOld === 0 ? [] : [`${formatCount(tooOld)} older than the ledger`]),
  ]
  const leftOut = left.length === 0 ? '' : `; positions left out: ${left.join(', ')}`
  return `${same} in ${counted}${leftOut}`
}

/** What a difference is about. */
type Subject = Pick<PlatformDifference, 'token' | 'slug' | 'outcome' | 'trade'>

const toRow = ({ what, field, ours, theirs, by, ...subject }: PlatformDifference): string[] => [
  what,
  showSubject(subject),
  field,
  ours ?? 'missing',
  theirs ?? 'missing',
  by ?? '',
]

function showSubject({ token, slug, outcome, trade }: Subject): string {
  const market = slug === undefined ? '' : `${slug}${outcome === undefined ? '' : `: ${outcome}`}`
  const shares = `token ${shorten(token)}`
  if (trade === undefined) return market === '' ? shares : `${shares} (${market})`
  // The hash makes the row long; the market says which token it is.
  return `${trade.side} in ${trade.txHash} of ${market === '' ? shares : market}`
}

/** The first digits of a token tell it apart; `--json` has all. */
const shorten = (token: string): string => (token.length <= 12 ? token : `${token.slice(0, 12)}…`)

const count = (number: number, what: string): string =>
  `${formatCount(number)} ${what}${number === 1 ? '' : 's'}`

const showTime = (timeSec: number): string => `${toIsoTime(timeSec).slice(0, 19).replace('T', ' ')} UTC`

/** The whole report as JSON, in the names of the API. */
export function presentReport(url: string, span: ComparedSpan, outcomes: readonly WalletOutcome[]) {
  return {
    data_api_url: url,
    from: span.fromSec,
    to: span.toSec,
    head_block: span.headBlock,
    wallets: outcomes.map(presentOutcome),
  }
}

function presentOutcome(outcome: WalletOutcome) {
  if ('error' in outcome) return outcome
  const { wallet, positions, trades, tooNew, tooOld, differences } = outcome
  return {
    wallet,
    positions,
    trades,
    left_out: { too_new: tooNew, older_than_ledger: tooOld },
    differences: differences.map(({ what, token, trade, field, ours, theirs, by, ...market }) => ({
      what,
      token_id: token,
      slug: market.slug ?? null,
      outcome: market.outcome ?? null,
      ...(trade !== undefined && {
        transaction_hash: trade.txHash,
        side: trade.side,
        timestamp: trade.timeSec,
      }),
      field,
      ours: ours ?? null,
      theirs: theirs ?? null,
      difference: by ?? null,
    })),
  }
}
