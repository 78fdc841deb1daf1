import type { Sql } from '../../store/connection.js'
import type { QuarantineFact, RawLogFact, Tape } from '../tape/tape.js'
import { BLOCKS } from './block-facts.js'
import { copyLines } from './copy.js'
import { LEDGER_FACTS } from './ledger-facts.js'
import type { Names } from './names.js'
import { isHexLog, QUESTION_FACTS } from './question-facts.js'

export const FACT_TABLES = [BLOCKS, ...LEDGER_FACTS, ...QUESTION_FACTS]

/** Writes all facts. Their names must be resolved, and their partitions be there. */
export async function writeTape(tx: Sql, tape: Tape, names: Names): Promise<void> {
  for (const { table, columns, lines } of FACT_TABLES) {
    const rows = lines(tape, names)
    if (rows !== undefined) await copyLines(tx, table, columns, rows)
  }
  const refused = [...tape.quarantine, ...tape.rawLogs.filter((log) => !isHexLog(log)).map(refuse)]
  if (refused.length > 0) await insertQuarantine(tx, refused)
}

const refuse = ({ seq, txHash, contract, topics, data }: RawLogFact): QuarantineFact => ({
  seq,
  txHash,
  reason: 'undecodable',
  detail: 'not hex',
  contract,
  topics,
  data,
})

/** Nothing that is refused may stop the line, not even the same log for the same reason twice. */
async function insertQuarantine(tx: Sql, facts: readonly QuarantineFact[]): Promise<void> {
  await tx`
    insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
    select seq, reason, detail, decode(substr(contract, 3), 'hex'), topics, data,
           decode(substr(tx_hash, 3), 'hex')
      from unnest(${facts.map(({ seq }) => seq)}::bigint[],
                  ${facts.map(({ reason }) => reason)}::text[],
                  ${facts.map(({ detail }) => storable(detail))}::text[],
                  ${facts.map(({ contract }) => contract)}::text[],
                  ${facts.map(({ topics }) => storable(topics.join()))}::text[],
                  ${facts.map(({ data }) => storable(data))}::text[],
                  ${facts.map(({ txHash }) => txHash)}::text[])
        as refused (seq, reason, detail, contract, topics, data, tx_hash)
    on conflict (seq, reason) do nothing`
}

/** PostgreSQL stores no zero characters. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd')
