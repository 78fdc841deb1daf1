import type { Context } from '../context.js'
import type { ChainStatus, PriceStatus } from './board.js'

/** Behind by more than this there is nothing fresh to serve: the node, or whoever books, is not there yet. */
const AGE_SEC_MAX = 60

/**
 * `ready`: all is well. `degraded`: what is known is served, but prices of a source are missing.
 * `not_ready`: the service cannot do its work.
 */
export type Readiness = {
  status: 'ready' | 'degraded' | 'not_ready'
  /** Whether requests should come here: also while one of several price sources is silent. */
  isReady: boolean
  /** `ok`, or what is wrong, for each part that runs. */
  checks: Record<string, string>
}

export function readiness({ store, status, clock }: Context): Readiness {
  const nowSec = Math.floor(clock.now() / 1000)
  const checks: Record<string, string> = { store: store.problem ?? 'ok' }
  if (status.chain !== undefined) {
    const ageSec = nowSec - status.latestBlockSec
    checks.chain = checkChain(status.chain, status.latestBlock, ageSec)
  }
  const canWork = Object.values(checks).every((check) => check === 'ok')
  const sources = status.prices ?? []
  const silent = sources.filter((source) => isSilent(source, nowSec))
  if (sources.length > 0) checks.prices = checkPrices(silent, nowSec)
  const isComplete = silent.length === 0
  return {
    status: !canWork ? 'not_ready' : isComplete ? 'ready' : 'degraded',
    isReady: canWork && (isComplete || silent.length < sources.length),
    checks,
  }
}

function checkChain(
  { phase, nodeBlock, problem }: ChainStatus,
  block: number,
  ageSec: number,
): string {
  if (problem !== undefined) return problem
  if (phase === 'live' || phase === 'standby') {
    if (block === 0) return 'nothing is booked yet'
    return ageSec <= AGE_SEC_MAX ? 'ok' : `the last block is ${ageSec} seconds old`
  }
  return `catching up: block ${block} of ${nodeBlock ?? '?'}`
}

const isSilent = ({ lastSec }: PriceStatus, nowSec: number): boolean =>
  lastSec === undefined || nowSec - lastSec > AGE_SEC_MAX

function checkPrices(silent: readonly PriceStatus[], nowSec: number): string {
  if (silent.length === 0) return 'ok'
  return silent
    .map(({ source, lastSec }) =>
      lastSec === undefined
        ? `${source}: no price yet`
        : `${source}: no price for ${nowSec - lastSec} seconds`,
    )
    .join('; ')
}
