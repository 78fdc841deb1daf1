import { Counter, Gauge, type Registry } from 'prom-client'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import type { Clock } from '../core/clock.js'
import type { Domain } from '../http/domain.js'
import type { Log } from '../lib/log.js'
import type { Platform } from '../platform.js'
import type { Pool, Sql } from '../store/connection.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { auditAgainstNode } from './against-node.js'
import { audit } from './audit.js'
import { chooseBlocks } from './choose-blocks.js'
import { count, type Finding } from './finding.js'
import { type IdRange, readScope, type Span } from './scope.js'

const AUDIT_MS = 5 * 60 * 1000
const WALLETS = 50
/** How many tokens, conditions and blocks one run checks. */
const SLICE = { tokens: 20_000, conditions: 10_000, blocks: 2_000 }

const NODE_AUDIT_MS = 60 * 60 * 1000
/** New blocks of each run, and the most that are read again because they were wrong. */
const NODE_BLOCKS = 24
const SUSPECTS_MAX = 24

export function createAudit(platform: Platform, { upstreams }: { upstreams: Upstreams }): Domain {
  const { store, metrics: registry, clock, log } = platform
  const options = { store, registry, clock, log }
  const audit = new AuditJob(options)
  const nodeAudit =
    upstreams.polygon === undefined ? undefined : new NodeAuditJob({ ...options, polygon: upstreams.polygon })
  return {
    jobs: [
      {
        name: 'audit',
        everyMs: AUDIT_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => audit.runOnce(signal),
      },
      ...(nodeAudit === undefined
        ? []
        : [
            {
              name: 'audit_node',
              everyMs: NODE_AUDIT_MS,
              roles: ['worker'] as const,
              runsIn: 'one process' as const,
              needsDatabase: true,
              run: (signal: AbortSignal) => nodeAudit.runOnce(signal),
            },
          ]),
    ],
    status: {
      fields: () => ({
        audit: { ...(audit.last ?? NOT_AUDITED), node: nodeAudit?.last ?? null },
      }),
      warnings: () => [audit.warning, nodeAudit?.warning].filter((text) => text !== undefined),
    },
  }
}

const NOT_AUDITED = { last_run: null, seconds: null, differences: null }

type AuditJobOptions = {
  store: { readonly sql: Pool }
  registry: Registry
  clock: Clock
  log: Log
}

/** Each run checks a few wallets and the next slice of every table. */
export class AuditJob {
  /** What the last run found, in words; `undefined`: nothing. */
  warning: string | undefined
  /** How the last run went, as `/v1/status` shows it; `undefined`: there was none in this process. */
  last: { last_run: number; seconds: number; differences: number } | undefined
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
    const { differences, warning } = report(findings, log, 'run auspex audit')
    this.warning = warning
    this.#metrics.runs.inc()
    this.#metrics.differences.set(differences)
    this.#metrics.lastRun.set(clock.now() / 1000)
    const seconds = (clock.now() - startMs) / 1000
    this.#metrics.seconds.set(seconds)
    this.last = { last_run: Math.floor(clock.now() / 1000), seconds, differences }
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

  /** The range after the last one, and from the start again after the end. */
  #slice(of: keyof Span, first: number, last: number): IdRange {
    const next = this.#next[of]
    const from = next < first || next > last ? first : next
    this.#next[of] = from + SLICE[of]
    return { from, to: from + SLICE[of] - 1 }
  }
}

/** Logs what was found; the warning is `undefined` when that is nothing. */
function report(findings: readonly Finding[], log: Log, advice: string) {
  const failed = findings.filter(({ differences }) => differences > 0)
  const differences = failed.reduce((sum, finding) => sum + finding.differences, 0)
  for (const finding of failed) log.error(finding, 'audit found differences')
  const checks = failed.map(({ check }) => check).join(', ')
  const warning =
    differences === 0
      ? undefined
      : `the audit found ${count(differences, 'difference')} (${checks}): ${advice}`
  return { differences, warning }
}

/**
 * Each run compares a few random blocks with the node, and those that were wrong in the last run: so the
 * warning stays until they are right.
 */
export class NodeAuditJob {
  /** What is wrong with the blocks of the last run, in words; `undefined`: nothing. */
  warning: string | undefined
  /** How the last run went, as `/v1/status` shows it; `undefined`: there was none in this process. */
  last: { last_run: number; blocks: number; differences: number } | undefined
  readonly #options: AuditJobOptions & { polygon: PolygonClient }
  readonly #metrics: ReturnType<typeof createNodeAuditMetrics>
  #suspects: readonly number[] = []

  constructor(options: AuditJobOptions & { polygon: PolygonClient }) {
    this.#options = options
    this.#metrics = createNodeAuditMetrics(options.registry)
  }

  /** Throws when the node does not answer; what was found before stays. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { store, polygon, clock, log } = this.#options
    const pool = store.sql
    const chosen = await chooseBlocks(pool, NODE_BLOCKS, clock.now())
    const blocks = [...new Set([...this.#suspects, ...chosen])].sort((a, b) => a - b)
    const { findings, differing } = await auditAgainstNode({ pool, polygon, blocks, signal })
    const first = differing[0] ?? 0
    const last = differing.at(-1) ?? 0
    const advice = `run auspex backfill --again for the blocks ${first} to ${last}`
    const { differences, warning } = report(findings, log, advice)
    this.warning = warning
    this.#suspects = differing.slice(0, SUSPECTS_MAX)
    this.#metrics.blocks.inc(blocks.length)
    this.#metrics.differences.set(differences)
    this.#metrics.lastRun.set(clock.now() / 1000)
    this.last = { last_run: Math.floor(clock.now() / 1000), blocks: blocks.length, differences }
  }
}

function createNodeAuditMetrics(registry: Registry) {
  const registers = [registry]
  return {
    blocks: new Counter({
      name: 'auspex_audit_node_blocks_total',
      help: 'Blocks that were compared with the node since the start of the process',
      registers,
    }),
    differences: new Gauge({
      name: 'auspex_audit_node_differences',
      help: 'Differences between the blocks of the last turn and the node',
      registers,
    }),
    lastRun: new Gauge({
      name: 'auspex_audit_node_last_run_timestamp_seconds',
      help: 'When blocks were last compared with the node',
      registers,
    }),
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
    lastRun: gauge('auspex_audit_last_run_timestamp_seconds', 'When the last turn of the audit ended'),
    seconds: gauge('auspex_audit_seconds', 'How long the last turn of the audit took'),
  }
}
