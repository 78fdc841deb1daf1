import { AMOUNT_MAX } from '../../core/money.js'
import type { Sql } from '../../store/connection.js'
import { fromHex, rowsAs } from '../../store/sql-words.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/**
 * What could not be booked, and why. A log about tokens takes all others of its transaction about
 * tokens with it, for what they add up to would be wrong. Only absurd amounts of a token that
 * nothing else in the transaction is about stay alone.
 */
export type QuarantineFact = FactOrigin & {
  reason: 'undecodable' | 'absurd_amount' | 'inconsistent' | 'not_in_receipts'
  detail: string
  contract: string
  topics: readonly string[]
  data: string
}

/** Why no token event of a transaction can be booked. Thrown and caught during attribution. */
export class AttributionError extends Error {
  override name = 'AttributionError'
  readonly reason: QuarantineFact['reason']

  constructor(reason: QuarantineFact['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** Returns the amount. Throws AttributionError when it is too large to be booked. */
export function checkAmount(amount: bigint): bigint {
  if (amount > AMOUNT_MAX) throw new AttributionError('absurd_amount', `${amount} is no amount of money`)
  return amount
}

/** Written by `insertQuarantine`: COPY would fail on rows that are there already. */
export const QUARANTINE: FactKind<QuarantineFact> = {
  rows: {
    table: 'quarantine',
    columns: ['seq', 'reason', 'detail', 'contract', 'topics', 'data', 'tx_hash'],
  },
}

const QUARANTINE_TYPES = {
  seq: 'bigint',
  reason: 'text',
  detail: 'text',
  contract: 'text',
  topics: 'text',
  data: 'text',
  txHash: 'text',
}

/** The same log may be refused twice for the same reason: that must not stop the writer. */
export async function insertQuarantine(tx: Sql, facts: readonly QuarantineFact[]): Promise<void> {
  if (facts.length === 0) return
  const rows = facts.map((fact) => ({
    ...fact,
    detail: toStoredText(fact.detail),
    topics: toStoredText(fact.topics.join()),
    data: toStoredText(fact.data),
  }))
  await tx`
    insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
    select seq, reason, detail, ${fromHex(tx, 'contract')}, topics, data, ${fromHex(tx, 'tx_hash')}
      from ${rowsAs(tx, 'refused', rows, QUARANTINE_TYPES)}
    on conflict (seq, reason) do nothing`
}

/** Entries that the ledger refused to book. Their facts are stored in the tables of their kinds. */
export async function insertRefusedEntries(
  tx: Sql,
  refusals: readonly { seq: number; reason: string }[],
): Promise<void> {
  if (refusals.length === 0) return
  await tx`
    insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
    select seq, 'out_of_range', reason, '', '', '', ''
      from ${rowsAs(tx, 'refused', refusals, { seq: 'bigint', reason: 'text' })}
    on conflict (seq, reason) do nothing`
}

/** PostgreSQL stores no zero characters. */
export const toStoredText = (text: string): string => text.replaceAll('\0', '\ufffd')
