import type { Context } from '../context.js'
import type { ChainStatus } from './board.js'

/** Behind by more than this, a process that waits for its turn has nothing fresh to serve. */
const STANDBY_AGE_SEC_MAX = 60

/** `ok`, or what is wrong, for each part that runs. */
export function readiness({ store, status, clock }: Context): Record<string, string> {
  const checks: Record<string, string> = { store: store.problem ?? 'ok' }
  if (status.chain === undefined) return checks
  const ageSec = Math.floor(clock.now() / 1000) - status.latestBlockSec
  return { ...checks, chain: checkChain(status.chain, status.latestBlock, ageSec) }
}

function checkChain(
  { phase, nodeBlock, problem }: ChainStatus,
  block: number,
  ageSec: number,
): string {
  if (problem !== undefined) return problem
  if (phase === 'live') return 'ok'
  if (phase === 'standby') {
    if (block === 0) return 'nothing is booked yet'
    return ageSec <= STANDBY_AGE_SEC_MAX ? 'ok' : `the last block is ${ageSec} seconds old`
  }
  return `catching up: block ${block} of ${nodeBlock ?? '?'}`
}
