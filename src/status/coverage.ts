import { coverageOf } from '../chain/coverage.js'
import { selectCoverage, selectState, selectTimeFrom } from '../chain/queries.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import { presentCoverage } from './present.js'

/** From where to where each kind of data of the chain is known, and every hole, as answers show it. */
export async function readChainCoverage(sql: Sql, nowMs: number) {
  const state = await selectState(sql)
  const ranges = await selectCoverage(sql)
  const timeFrom = async (block: number | null) => (block === null ? undefined : selectTimeFrom(sql, block))
  const times = {
    ledgerFrom: await timeFrom(state.ledgerFrom),
    keptFrom: await timeFrom(state.keptFrom),
  }
  return presentCoverage(state, coverageOf(state, ranges, times), nowMs)
}

export type FactCoverage = Awaited<ReturnType<typeof readChainCoverage>>['data'][number]

/** That of fills, which has all holes that any kind has; `null`: there is nothing yet. */
export async function readFactCoverage({ sql, clock }: Platform): Promise<FactCoverage | null> {
  const { data } = await readChainCoverage(sql, clock.now())
  const fills = data.find(({ kind }) => kind === 'fills')
  return fills?.from === null ? null : (fills ?? null)
}
