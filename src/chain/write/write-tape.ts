import type { Sql } from '../../store/connection.js'
import { copyLines, inTexts } from '../../store/copy.js'
import type { QuarantineFact, RawLogFact, Tape } from '../attribute/tape.js'
import { BLOCKS } from '../facts/block-facts.js'
import { LEDGER_FACTS } from '../facts/ledger-facts.js'
import { isHexLog, QUESTION_FACTS } from '../facts/question-facts.js'
import type { Names } from '../ids/names.js'

export const FACT_TABLES = [BLOCKS, ...LEDGER_FACTS, ...QUESTION_FACTS]

/**
 * Puts the facts of a transaction's tapes together: each COPY costs a way to the server and back,
 * however few its rows are. The names of a tape must be resolved when it is added, and its
 * partitions be there when it is sent.
 */
export class FactWriter {
  readonly #names: Names
  readonly #tables = FACT_TABLES.map((fact) => ({ fact, texts: [] as string[], chars: 0 }))
  #refused: QuarantineFact[] = []

  constructor(names: Names) {
    this.#names = names
  }

  add(tape: Tape): void {
    for (const table of this.#tables) {
      const lines = table.fact.lines(tape, this.#names)
      if (lines === undefined) continue
      for (const text of inTexts(lines)) {
        table.texts.push(text)
        table.chars += text.length
      }
    }
    this.#refused.push(...tape.quarantine)
    for (const log of tape.rawLogs) if (!isHexLog(log)) this.#refused.push(refuse(log))
  }

  /** Sends the tables that have so much text or more, or whose rows are asked for. Nothing else may be sent meanwhile. */
  async send(tx: Sql, charsMin: number): Promise<void> {
    for (const table of this.#tables) {
      const { fact, texts } = table
      if (table.chars < (fact.isAskedFor ? 1 : charsMin)) continue
      table.texts = []
      table.chars = 0
      await copyLines(tx, fact.table, fact.columns, texts)
    }
  }

  async sendAll(tx: Sql): Promise<void> {
    await this.send(tx, 1)
    const refused = this.#refused
    this.#refused = []
    if (refused.length > 0) await insertQuarantine(tx, refused)
  }
}

export async function writeTape(tx: Sql, tape: Tape, names: Names): Promise<void> {
  const writer = new FactWriter(names)
  writer.add(tape)
  await writer.sendAll(tx)
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
