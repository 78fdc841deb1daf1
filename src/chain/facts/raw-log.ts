import type { Sql } from '../../store/connection.js'
import { copyBytes, copyText } from '../../store/copy.js'
import { hex } from '../../store/sql-words.js'
import { isHex } from '../../upstreams/polygon/abi.js'
import type { FactKind, FactOrigin } from './fact-kind.js'
import type { QuarantineFact } from './quarantine.js'

/** A log of our contracts that has no table of its own, or whose event is not known (`kind` is `unknown`). */
export type RawLogFact = FactOrigin & {
  kind: string
  contract: string
  topics: readonly string[]
  data: string
}

export const RAW_LOGS: FactKind<RawLogFact> = {
  rows: {
    table: 'raw_logs',
    columns: ['seq', 'contract', 'kind', 'topics', 'data', 'tx_hash'],
    toLine(log, ids) {
      if (!isHexLog(log)) return ''
      // Backslashes once for the array, and once more for COPY.
      const topics = log.topics.map((topic) => `"\\\\\\\\x${topic.slice(2)}"`)
      return `${[
        log.seq,
        ids.wallet(log.contract),
        copyText(log.kind),
        `{${topics.join()}}`,
        copyBytes(log.data),
        copyBytes(log.txHash),
      ].join('\t')}\n`
    },
  },
  addReferences({ seq, contract }, ids, ordinal) {
    ids.wallets.add(contract, seq, ordinal)
  },
}

/** A node may send anything where digits should be: such a log has no row, and goes into quarantine. */
export const quarantineUnstorable = (logs: readonly RawLogFact[]): QuarantineFact[] =>
  logs
    .filter((log) => !isHexLog(log))
    .map(({ kind, ...log }) => ({ ...log, reason: 'undecodable', detail: 'not hex' }))

const isHexLog = ({ topics, data }: RawLogFact): boolean => isBytes(data) && topics.every(isBytes)

const isBytes = (text: string): boolean => text.length % 2 === 0 && isHex(text, text.length / 2 - 1)

const POOL_CREATION = 'fpmmCreation'

/** The automatic market makers of the first years that the logs so far have created, by address. */
export async function selectPools(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ pool: string }[]>`
    select ${hex(sql, 'substr(data, 13, 20)')} as pool
      from raw_logs
     where kind = ${POOL_CREATION}`
  return new Set(rows.map(({ pool }) => pool))
}

/** The addresses of the pools that these logs create: in the first 32 bytes of the data. */
export const poolsIn = (logs: readonly RawLogFact[]): string[] =>
  logs.filter(({ kind }) => kind === POOL_CREATION).map(({ data }) => `0x${data.slice(26, 66)}`)
