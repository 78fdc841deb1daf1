import { Counter, Gauge, type Registry } from 'prom-client'
import type { Context } from '../context.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import type { Clock } from '../core/clock.js'
import type { DomainWork } from '../jobs/job.js'
import type { Log } from '../lib/log.js'
import type { Pool, Sql } from '../store/connection.js'
import { audit } from './audit.js'
import { count } from './finding.js'
import { type IdRange, readScope, type Span } from './scope.js'

const AUDIT_MS = 5 * 60 * 1000
const WALLETS = 50
/** Numbers of tokens, conditions and blocks that one turn looks at. */
const SLICE = { tokens: 20_000, conditions: 10_000, blocks: 2_000 }

export function createAuditWork({ store, metrics, clock, log }: Context): DomainWork {
  const audit = new AuditJob({ store, registry: metrics.registry, clock, log })
  return {
    jobs: [
      {
        name: 'audit',
        everyMs: AUDIT_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => audit.runOnce(signal),
      },
    ],
    status: { warnings: () => (audit.warning === undefined ? [] : [audit.warning]) },
  }
}

type AuditJobOptions = {
  store: { readonly sql: Pool }
  registry: Registry
  clock: Clock
  log: Log
}

/** Looks at a few wallets and at the next slice of every table each time it is called. */
export class AuditJob {
  /** What the last turn found, in words; `undefined`: nothing. */
  warning: string | undefined
  readonly #options: AuditJobOptions
  readonly #metrics: ReturnType<typeof createAuditMetrics>
  readonly #next = { tokens: 0, conditions: 0, blocks: 0 }

  constructor(options: AuditJobOptions) {
    this.#options = options
    this.#metrics = createAuditMetrics(options.registry)
  }

  /** Does nothing on the way to the head, where facts cannot be found by their wallet yet. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { store, clock, log } = this.#options
    const span = await this.#nextSpan(store.sql)
    if (span === undefined) return
    const startMs = clock.now()
    const wallets = { kind: 'sample', count: WALLETS } as const
    const findings = await audit(store.sql, { wallets, span, signal })
    const failed = findings.filter(({ differences }) => differences > 0)
    const differences = failed.reduce((sum, finding) => sum + finding.differences, 0)
    for (const finding of failed) log.error(finding, 'audit found differences')
    const checks = failed.map(({ check }) => check).join(', ')
    this.warning =
      differences === 0
        ? undefined
        : `the audit found ${count(differences, 'difference')} (${checks}): run auspex audit`
    this.#metrics.runs.inc()
    this.#metrics.differences.set(differences)
    this.#metrics.lastRun.set(clock.now() / 1000)
    this.#metrics.seconds.set((clock.now() - startMs) / 1000)
  }

  async #nextSpan(sql: Sql): Promise<Span | undefined> {
    const scope = await readScope(sql)
    if (scope === undefined || !scope.isIndexed) return undefined
    const [last] = await sql<{ tokens: number; conditions: number }[]>`
      select coalesce((select max(id) from tokens), 0) as tokens,
             coalesce((select max(id) from conditions), 0) as conditions`
    const { ledgerFrom, cursor } = scope
    return {
      tokens: this.#slice('tokens', 0, last?.tokens ?? 0),
      conditions: this.#slice('conditions', 0, last?.conditions ?? 0),
      blocks: this.#slice('blocks', ledgerFrom, cursor.block + REORG_BLOCKS_MAX),
    }
  }

  /** The range after the last one, and from the start again behind the end. */
  #slice(of: keyof Span, first: number, last: number): IdRange {
    const next = this.#next[of]
    const from = next < first || next > last ? first : next
    this.#next[of] = from + SLICE[of]
    return { from, to: from + SLICE[of] - 1 }
  }
}

function createAuditMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  return {
    runs: new Counter({
      name: 'auspex_audit_runs_total',
      help: 'Turns of the audit since the start of the process',
      registers,
    }),
    differences: gauge(
      'auspex_audit_differences',
      'Differences that the last turn of the audit found between facts and ledger',
    ),
    lastRun: gauge(
      'auspex_audit_last_run_timestamp_seconds',
      'When the last turn of the audit ended',
    ),
    seconds: gauge('auspex_audit_seconds', 'How long the last turn of the audit took'),
  }
}
