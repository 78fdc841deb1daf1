import type { Entry } from '../../ledger/entry.js'
import type { IdReferences } from '../ids/id-references.js'
import { APPROVALS } from './approval.js'
import { type BatchBlock, BLOCK_ROWS } from './block.js'
import { COMBOS } from './combo.js'
import { COMBO_EVENTS } from './combo-event.js'
import { CONVERSIONS } from './conversion.js'
import {
  type ChainFact,
  type EntryIds,
  type FactEntries,
  type FactKind,
  type FactRows,
  ORDINALS_PER_KIND,
} from './fact-kind.js'
import { FEES } from './fee.js'
import { FILLS } from './fill.js'
import { FLOWS } from './flow.js'
import { MIGRATIONS } from './migration.js'
import { NEG_RISK_MARKETS } from './neg-risk-market.js'
import { NEG_RISK_QUESTIONS } from './neg-risk-question.js'
import { ORACLE_EVENTS } from './oracle-event.js'
import { OUTCOMES } from './outcomes.js'
import { PREPARATIONS } from './preparation.js'
import { QUARANTINE } from './quarantine.js'
import { RAW_LOGS } from './raw-log.js'
import { REDEMPTIONS } from './redemption.js'
import { RESOLUTIONS } from './resolution.js'
import { SPLITS } from './split.js'
import { BLOCK_SUPPLIES } from './supply.js'
import { TRANSFERS } from './transfer.js'
import { WALLET_OWNERS } from './wallet-owner.js'

/**
 * Every kind of fact, by the name of its list in `BatchFacts`. The order decides which of two new ids
 * of the same log is numbered first, and which of two entries of the same `seq` is booked first: to
 * move a line is to change the ids of the next history. New kinds go to the end.
 */
const FACT_KINDS = {
  fills: FILLS,
  splits: SPLITS,
  redemptions: REDEMPTIONS,
  conversions: CONVERSIONS,
  migrations: MIGRATIONS,
  outcomes: OUTCOMES,
  transfers: TRANSFERS,
  supplies: BLOCK_SUPPLIES,
  fees: FEES,
  flows: FLOWS,
  preparations: PREPARATIONS,
  resolutions: RESOLUTIONS,
  oracle: ORACLE_EVENTS,
  negRiskMarkets: NEG_RISK_MARKETS,
  negRiskQuestions: NEG_RISK_QUESTIONS,
  combos: COMBOS,
  comboEvents: COMBO_EVENTS,
  walletOwners: WALLET_OWNERS,
  rawLogs: RAW_LOGS,
  quarantine: QUARANTINE,
  approvals: APPROVALS,
}

type Kinds = typeof FACT_KINDS
type FactList = keyof Kinds
type FactOf<Kind> = Kind extends FactKind<infer Fact> ? Fact : never

/**
 * The facts of one batch of blocks: what their logs say, attributed to the wallets that acted, one
 * value for each row that is stored. Ids are the text of the chain (lower-case hex, `0x` first):
 * wallets have 20 bytes, everything else 32; a structured condition is padded with zero bytes at its
 * end. Amounts are millionths and at most AMOUNT_MAX. Each list is in the order of `seq`.
 */
export type BatchFacts = { [List in FactList]: FactOf<Kinds[List]>[] } & {
  /** Every block that had a log, and every one whose header was given. */
  blocks: BatchBlock[]
  /** Movers of outcome tokens that are neither the owner nor a known contract. */
  unknownOperators: UnknownOperator[]
}

export type UnknownOperator = { seq: number; operator: string; transfers: number }

/** The kinds in their order. A list holds facts of its kind only, which the types do not express. */
export const KINDS = Object.entries(FACT_KINDS) as readonly (readonly [
  list: FactList,
  kind: FactKind<ChainFact>,
])[]

export function createBatchFacts(): BatchFacts {
  const lists = Object.fromEntries(KINDS.map(([list]) => [list, []]))
  return { blocks: [], unknownOperators: [], ...lists } as unknown as BatchFacts
}

/** Adds every natural id that the facts of a batch name. */
export function addReferences(batch: BatchFacts, references: IdReferences): void {
  for (const [rank, [list, kind]] of KINDS.entries()) {
    if (kind.addReferences === undefined) continue
    for (const [index, fact] of batch[list].entries()) {
      kind.addReferences(fact, references, rank * ORDINALS_PER_KIND, index)
    }
  }
}

/** Every table of facts, that of the blocks first. */
export const FACT_TABLES: readonly Pick<FactRows<never>, 'table' | 'columns' | 'partitionIndexes'>[] = [
  BLOCK_ROWS,
  ...KINDS.flatMap(([, { rows }]) => rows ?? []),
]

/** The kinds that the ledger books, in the order in which entries of one `seq` are booked. */
export const BOOKED_KINDS = KINDS.flatMap(([list, { entries, rows }]) =>
  entries === undefined || rows === undefined ? [] : [{ list, entries, rows }],
)

const ENTRIES = new Map<Entry['kind'], FactEntries<never, Entry>>(
  BOOKED_KINDS.map(({ entries }) => [entries.kind, entries]),
)

/** Everything whose state the entry may change. */
export function idsOfEntry(entry: Entry): EntryIds {
  const entries = ENTRIES.get(entry.kind)
  if (entries === undefined) throw new Error(`no kind of fact becomes the entry ${entry.kind}`)
  return entries.idsOf(entry)
}
