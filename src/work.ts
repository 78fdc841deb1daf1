import { setTimeout as sleep } from 'node:timers/promises'
import { FREE_KEY_PERIOD_MS } from './accounts/accounts.js'
import { SYNC_MS } from './accounts/key-ring.js'
import { deleteGrants, deleteUsageWriters } from './accounts/queries.js'
import { FLUSH_MS } from './accounts/usage-meter.js'
import { AUDIT_MS, AuditJob } from './audit/job.js'
import { MarketJobs } from './catalogue/jobs.js'
import { createMarketMetrics, registerMarketGauges } from './catalogue/metrics.js'
import { MIDPOINTS_MS } from './catalogue/token-prices.js'
import type { CatchUpProgress } from './chain/follow/follower.js'
import { Ingest } from './chain/ingest.js'
import { countWallets, selectState } from './chain/queries.js'
import { dropOldFacts } from './chain/write/partitions.js'
import type { Context } from './context.js'
import { LiveEvents } from './events/live-events.js'
import { repeat } from './lib/repeat.js'
import {
  EVENTS_REFRESH_MS,
  refreshEvents,
  refreshWindows,
  WINDOW_REFRESH_MS,
} from './markets/crypto/refresh.js'
import { PACK_MS, packTicks } from './prices/archive/pack.js'
import { dropOldTicks, PriceJobs } from './prices/jobs.js'
import type { Target } from './store/connection.js'

const TIDY_MS = 60 * 60 * 1000
const REPORT_MS = 1_000
const HEAD_START_MS = 30_000

/** Told how a long way to the head goes. */
export type OnCatchUp = (progress: CatchUpProgress) => void

/** Starts everything that runs beside the requests, until the signal aborts. */
export function startWork(
  ctx: Context,
  target: Target,
  signal: AbortSignal,
  onCatchUp?: OnCatchUp,
): Promise<unknown> {
  const job = (name: string, intervalMs: number, work: () => Promise<void>) =>
    runJob(ctx, signal, intervalMs, name, work)
  return Promise.all([
    job('key sync', SYNC_MS, () => ctx.keyRing.sync()),
    job('usage flush', FLUSH_MS, () => ctx.usage.flush()),
    job('tidying', TIDY_MS, () => tidy(ctx)),
    ...startMarketWork(ctx, target, signal, onCatchUp),
  ])
}

function startMarketWork(
  ctx: Context,
  target: Target,
  signal: AbortSignal,
  onCatchUp: OnCatchUp | undefined,
): Promise<void>[] {
  const { config, upstreams, bus, catalogue, status: board, clock, log, metrics } = ctx
  const { registry } = metrics
  const { gamma, clob, polygon } = upstreams
  const marketMetrics = createMarketMetrics(registry)
  const marketParts = {
    store: ctx.store,
    gamma,
    clob,
    catalogue,
    clock,
    log,
    metrics: marketMetrics,
  }
  const markets = new MarketJobs(marketParts)
  const prices = new PriceJobs(ctx)
  const audit = new AuditJob({ store: ctx.store, registry, clock, log })
  const alone = async (term: AbortSignal) => {
    await Promise.all([
      untilLive(ctx, term).then(() => markets.runSync(term)),
      runJob(ctx, term, AUDIT_MS, 'audit', () => audit.runOnce(term)),
      runJob(ctx, term, MIDPOINTS_MS, 'price refresh', () => markets.refreshPrices(term)),
      runJob(ctx, term, WINDOW_REFRESH_MS, 'window refresh', () =>
        refreshWindows(marketParts, term),
      ),
      runJob(ctx, term, EVENTS_REFRESH_MS, 'crypto refresh', () =>
        refreshEvents(marketParts, term),
      ),
      runJob(ctx, term, PACK_MS, 'tick packing', () => packTicks(ctx.sql, clock.now())),
      runJob(ctx, term, TIDY_MS, 'retention', () =>
        dropOldFacts(ctx.sql, clock.now(), config.retentionDays),
      ),
      runJob(ctx, term, TIDY_MS, 'retention of ticks', () =>
        dropOldTicks(ctx.sql, clock.now(), config.tickRetentionDays),
      ),
    ])
  }
  registerMarketGauges(registry, clock, () => markets.status())
  const live = new LiveEvents({ bus, markets: catalogue, clock, log })
  const ingest =
    polygon &&
    new Ingest({
      ...{ config, target, upstreams, live, board, registry, clock, log, alongside: alone },
      ...{ polygon, onProgress: onCatchUp },
    })
  ingest?.report()
  board.prices = prices.known()
  const reporting = runJob(ctx, signal, REPORT_MS, 'report', async () => {
    await report(ctx, markets)
    const heard = await prices.status()
    board.prices = heard && [...heard, ...prices.sockets()]
    ingest?.report()
    const { problem } = markets.status()
    board.warnings = [
      ...(ingest?.warnings ?? []),
      ...(problem === undefined ? [] : [`market catalogue: ${problem}`]),
      ...(audit.warning === undefined ? [] : [audit.warning]),
    ]
  })
  return [
    prices.collect(signal),
    runLookups(ctx, markets, signal),
    ingest?.run(signal) ?? alone(signal),
    reporting,
  ]
}

async function runLookups(ctx: Context, markets: MarketJobs, signal: AbortSignal): Promise<void> {
  await markets
    .load()
    .catch((error: unknown) => ctx.log.warn({ err: error }, 'markets could not be loaded'))
  await markets.runLookups(signal)
}

/** A short way to the head goes first: reading both at once would only make both late. */
async function untilLive({ status }: Context, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + HEAD_START_MS
  const isWaiting = () => status.chain !== undefined && status.chain.phase !== 'live'
  while (isWaiting() && performance.now() < deadline && !signal.aborted) {
    await sleep(REPORT_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Another process may be the one that books. */
async function report({ sql, status, bus, catalogue }: Context, markets: MarketJobs) {
  const { block, blockTime } = await selectState(sql)
  status.wallets = await countWallets(sql)
  status.markets = markets.status().known
  const { eventsBuffered, eventStoreBytes, eventsProcessed } = bus.status
  const settlementsBuffered = bus.countBuffered('settlement')
  Object.assign(status, { eventsBuffered, settlementsBuffered, eventStoreBytes, eventsProcessed })
  status.latestBlock = block ?? 0
  status.latestBlockSec = blockTime ?? 0
  status.metadata = catalogue.size
}

/** A job needs the database and waits for it; what it cannot do now it does at its next turn. */
function runJob(
  ctx: Context,
  signal: AbortSignal,
  intervalMs: number,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  return repeat(intervalMs, signal, async () => {
    if (ctx.store.problem !== undefined) return
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) ctx.log.warn({ err: error, job: name }, 'job failed')
    }
  })
}

async function tidy(ctx: Context): Promise<void> {
  const nowMs = ctx.clock.now()
  await deleteGrants(ctx.sql, nowMs - FREE_KEY_PERIOD_MS)
  await deleteUsageWriters(ctx.sql, nowMs - FREE_KEY_PERIOD_MS)
}
