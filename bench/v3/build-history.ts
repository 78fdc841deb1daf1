import { createHash } from 'node:crypto'
import type { Pool } from '../../src/store/connection.js'
import { readMigrations } from '../../src/store/migrate.js'
import { CATALOGUE_STEPS } from './catalogue.js'
import { FACT_STEPS } from './facts.js'
import { LAST_STEPS, LEDGER_STEPS } from './ledger.js'
import { type HistorySize, shapeOf } from './size.js'

const STEPS = [...FACT_STEPS, ...LEDGER_STEPS, ...CATALOGUE_STEPS, ...LAST_STEPS]

/** Fills a database that has the schema and nothing else. The pool has one connection. */
export async function buildHistory(
  pool: Pool,
  size: HistorySize,
  onStep: (text: string) => void,
): Promise<void> {
  const shape = shapeOf(size)
  for (const [index, step] of STEPS.entries()) {
    onStep(`${step.name} (${index + 1} of ${STEPS.length})`)
    // Before each step: the pool opens a new connection after an hour.
    await pool.unsafe(`
      set statement_timeout = 0;
      set synchronous_commit = off;
      set work_mem = '512MB';
      set maintenance_work_mem = '512MB'`)
    await ('run' in step ? step.run(pool, shape) : pool.unsafe(step.query(shape)))
  }
}

/** Changes with the queries that make a history. */
export function fingerprintOf(size: HistorySize): string {
  const shape = shapeOf({ ...size, endSec: 0 })
  const hash = createHash('sha256')
  for (const step of STEPS) if ('query' in step) hash.update(step.query(shape))
  for (const { sql } of readMigrations()) hash.update(sql)
  return hash.digest('hex').slice(0, 8)
}
