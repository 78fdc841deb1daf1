import type { Config } from '../config/config.js'
import { maskPassword } from '../config/setting.js'
import { type Clock, systemClock } from '../core/clock.js'
import { OperatorError } from '../core/errors.js'
import { UpstreamError } from '../core/upstream-error.js'
import type { Timing } from '../lib/timing.js'
import type { Pool } from '../store/connection.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { withUpstreams } from '../upstreams/with-upstreams.js'
import { CannotCompare, DifferencesFound, NOT_COMPARED } from './cannot-compare.js'
import { compareWallet, selectSpan, type WalletDeps } from './compare-wallet.js'
import { formatOutcome, formatSpan, presentReport, type WalletOutcome } from './format.js'

export type CompareFlags = { settle: number; json?: boolean }

type CompareTimes = {
  clock?: Clock
  /** Timing of the calls to the platform; absent: that of the system. */
  timing?: Timing | undefined
}

/** Compares the wallets one after the other, prints what differs, and throws unless all are the same. */
export async function runCompare(
  sql: Pool,
  config: Config,
  addresses: readonly string[],
  { settle, json = false }: CompareFlags,
  { clock = systemClock, timing }: CompareTimes = {},
): Promise<void> {
  const url = maskPassword(config.dataApiUrl)
  const nowSec = Math.floor(clock.now() / 1_000)
  const span = await selectSpan(sql, settle, nowSec).catch((error) => {
    if (!(error instanceof CannotCompare)) throw error
    throw new OperatorError(`There is nothing to compare: ${error.message}.`, NOT_COMPARED)
  })
  if (!json) console.log(formatSpan(url, span))
  const outcomes: WalletOutcome[] = []
  const compareAll = async ({ dataApi }: Upstreams) => {
    for (const address of new Set(addresses)) {
      const outcome = await tryWallet({ sql, dataApi, span }, address)
      outcomes.push(outcome)
      if (!json) console.log(`\n${formatOutcome(outcome)}`)
    }
  }
  await withUpstreams(config, compareAll, { timing })
  if (json) console.log(JSON.stringify(presentReport(url, span, outcomes), null, 2))
  judge(outcomes)
}

/** A wallet that cannot be compared does not keep others from it. */
async function tryWallet(deps: WalletDeps, wallet: string): Promise<WalletOutcome> {
  try {
    return await compareWallet(deps, wallet)
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof CannotCompare)) throw error
    return { wallet, error: error.message }
  }
}

function judge(outcomes: readonly WalletOutcome[]): void {
  const failed = outcomes.filter((outcome) => 'error' in outcome).length
  if (failed > 0) {
    const all = outcomes.length
    throw new OperatorError(`${failed} of ${all} wallets could not be compared.`, NOT_COMPARED)
  }
  const differences = outcomes.reduce(
    (sum, outcome) => sum + ('error' in outcome ? 0 : outcome.differences.length),
    0,
  )
  if (differences > 0) throw new DifferencesFound(differences)
}
