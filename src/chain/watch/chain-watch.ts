import { Counter, Gauge, type Registry } from 'prom-client'
import { blockOf } from '../../core/seq.js'
import type { RefusedEntry } from '../../ledger/rows/ledger-store.js'
import type { BatchFacts } from '../facts/registry.js'
import { FillRate } from './fill-rate.js'
import { UnknownOperators } from './unknown-operators.js'

/**
 * Checks every committed batch for signs that the facts are no longer complete: operators and
 * events that the table of contracts lacks, fewer fills than usual, and logs in quarantine.
 * `warnings` are shown by `/v1/status`; the metrics are meant for alerts.
 */
export class ChainWatch {
  readonly #fillRate = new FillRate()
  readonly #operators = new UnknownOperators()
  readonly #metrics: ReturnType<typeof createWatchMetrics>
  /** Logs that are in quarantine. */
  quarantined = 0
  #headBlock = 0
  #busy: ReturnType<UnknownOperators['busy']> = []
  #fall: FillRate['fall']

  constructor(registry: Registry) {
    this.#metrics = createWatchMetrics(registry)
  }

  /** Starts from what the database has from earlier processes. */
  start(known: { fillsByBlock: readonly { block: number; fills: number }[]; quarantined: number }) {
    for (const { block, fills } of known.fillsByBlock) this.#fillRate.add(block, fills)
    this.quarantined = known.quarantined
  }

  onBooked(facts: BatchFacts, refusals: readonly RefusedEntry[]): () => void {
    const fills = countByBlock(facts)
    const unknown = facts.rawLogs.filter(({ kind }) => kind === 'unknown').length
    const reasons = [...facts.quarantine.map(({ reason }) => reason), ...refusals.map(() => 'out_of_range')]
    const { unknownOperators } = facts
    return () => this.#add(fills, unknown, reasons, unknownOperators)
  }

  onReverted(toBlock: number, freed: number): void {
    this.#headBlock = toBlock
    this.quarantined -= freed
    this.#fillRate.revert(toBlock)
    this.#operators.revert(toBlock)
    this.#update()
  }

  onRebuilt(quarantined: number): void {
    this.quarantined = quarantined
  }

  get warnings(): string[] {
    const warnings = this.#busy.map(
      ({ operator, transfers }) =>
        `${operator} moved outcome tokens of others ${transfers} times within an hour and is none of the known contracts: it may be a new exchange`,
    )
    const fall = this.#fall
    if (fall !== undefined) {
      warnings.push(
        `fills fell from ${fall.usual.toFixed(2)} to ${fall.recent.toFixed(2)} per block while blocks flow: trades may have moved to a contract that is not known`,
      )
    }
    if (this.quarantined > 0) {
      warnings.push(`${this.quarantined} logs could not be booked: see the table quarantine`)
    }
    return warnings
  }

  #add(
    fillsByBlock: Map<number, number>,
    unknown: number,
    reasons: readonly string[],
    operators: BatchFacts['unknownOperators'],
  ): void {
    const metrics = this.#metrics
    for (const [block, fills] of fillsByBlock) {
      this.#headBlock = block
      this.#fillRate.add(block, fills)
      metrics.fills.inc(fills)
    }
    this.#operators.add(operators)
    this.quarantined += reasons.length
    metrics.unknownLogs.inc(unknown)
    for (const reason of reasons) metrics.quarantined.inc({ reason })
    for (const { transfers } of operators) metrics.strangeTransfers.inc(transfers)
    this.#update()
  }

  #update(): void {
    this.#busy = this.#operators.busy(this.#headBlock)
    this.#fall = this.#fillRate.fall
    this.#metrics.unknownOperators.set(this.#busy.length)
    this.#metrics.fillRateFallen.set(this.#fall === undefined ? 0 : 1)
  }
}

function countByBlock(facts: BatchFacts): Map<number, number> {
  const counts = new Map(facts.blocks.map(({ number }) => [number, 0]))
  for (const { seq } of facts.fills) {
    const block = blockOf(seq)
    counts.set(block, (counts.get(block) ?? 0) + 1)
  }
  return counts
}

function createWatchMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  return {
    fills: counter('auspex_chain_fills_total', 'Fills booked since the start of the process'),
    unknownLogs: counter(
      'auspex_chain_unknown_logs_total',
      'Logs of known contracts with an unknown event; they are stored as raw logs',
    ),
    quarantined: new Counter({
      name: 'auspex_chain_quarantined_total',
      help: 'Logs that could not be booked',
      labelNames: ['reason'] as const,
      registers,
    }),
    strangeTransfers: counter(
      'auspex_chain_strange_transfers_total',
      'Transfers of outcome tokens by an operator that is neither the owner nor a known contract',
    ),
    unknownOperators: gauge(
      'auspex_chain_strange_operators',
      'Unknown operators that moved as many outcome tokens within an hour as an exchange would',
    ),
    fillRateFallen: gauge(
      'auspex_chain_fill_rate_fallen',
      '1 while far fewer fills come per block than usual',
    ),
  }
}
