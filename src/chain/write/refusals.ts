import type { Sql } from '../../store/connection.js'

/** Entries that the ledger would not book. Their facts are stored; who reads them asks here first. */
export async function insertRefusals(
  tx: Sql,
  refusals: readonly { seq: number; reason: string }[],
): Promise<void> {
  await tx`
    insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
    select seq, 'out_of_range', detail, '', '', '', ''
      from unnest(${refusals.map(({ seq }) => seq)}::bigint[],
                  ${refusals.map(({ reason }) => reason)}::text[]) as refused (seq, detail)
    on conflict (seq, reason) do nothing`
}
