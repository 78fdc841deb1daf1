import { copyBytes, copyBytesOrNull, NULL } from '../../store/copy.js'
import type {
  ConversionFact,
  FeeFact,
  FillFact,
  FlowFact,
  MigrationFact,
  RedemptionFact,
  SplitFact,
  SupplyFact,
  TransferFact,
} from '../attribute/tape.js'
import type { FillIds } from '../ids/fill-ids.js'
import type { Names } from '../ids/names.js'
import { FEE_KINDS, FILL_FLAGS, FLOW_KINDS, REDEMPTION_FLAGS, SPLIT_FLAGS } from './codes.js'
import { copyNumbers, copyTokens, type FactTable, factTable } from './fact-table.js'

const FILL_COLUMNS =
  'seq usd shares fee wallet taker exchange token builder flags order_hash tx_hash metadata'

/** What moves tokens, money and profit. */
export const LEDGER_FACTS: readonly FactTable[] = [
  {
    table: 'fills',
    columns: FILL_COLUMNS.split(' '),
    lines: ({ fills }, names) => (fills.length === 0 ? undefined : fillLines(names.fillIds(fills))),
  },
  factTable(
    'splits',
    'seq amount wallet condition flags tx_hash tokens',
    (tape) => tape.splits,
    splitLine,
  ),
  factTable(
    'redemptions',
    'seq payout wallet condition flags tokens amounts tx_hash',
    (tape) => tape.redemptions,
    redemptionLine,
  ),
  factTable(
    'conversions',
    'seq amount received cash wallet market index_set given taken tx_hash',
    (tape) => tape.conversions,
    conversionLine,
  ),
  factTable(
    'migrations',
    'seq amount wallet from_token to_token tx_hash',
    (tape) => tape.migrations,
    migrationLine,
  ),
  factTable(
    'transfers',
    'seq amount from_wallet to_wallet token sub is_internal tx_hash',
    (tape) => tape.transfers,
    transferLine,
  ),
  factTable('supply_changes', 'block token minted burned', (tape) => tape.supplies, supplyLine),
  factTable('fees', 'seq amount wallet token kind tx_hash', (tape) => tape.fees, feeLine),
  factTable(
    'flows',
    'seq amount from_wallet to_wallet asset kind tx_hash',
    (tape) => tape.flows,
    flowLine,
  ),
]

/** By far the most frequent rows: one template is faster than anything that joins fields. */
function* fillLines(ids: FillIds): Generator<string> {
  for (let index = 0; index < ids.fills.length; index++) {
    const fill = ids.fills[index] as FillFact
    const { seq, usd, shares, fee } = fill
    const wallet = ids.wallet(index)
    const taker = ids.taker(index)
    const exchange = ids.exchange(index)
    const token = ids.token(index)
    const builder = fill.builder === undefined ? NULL : ids.builder(index)
    const order = copyBytes(fill.orderHash)
    const tx = copyBytes(fill.txHash)
    const metadata = copyBytesOrNull(fill.metadata)
    yield `${seq}\t${usd}\t${shares}\t${fee}\t${wallet}\t${taker}\t${exchange}\t${token}\t${builder}\t${fillFlags(fill)}\t${order}\t${tx}\t${metadata}\n`
  }
}

function fillFlags(fill: FillFact): number {
  return (
    (fill.side === 'SELL' ? FILL_FLAGS.sell : 0) +
    (fill.isTaker ? FILL_FLAGS.taker : 0) +
    (fill.isFeeInShares ? FILL_FLAGS.feeInShares : 0) +
    (fill.negRisk ? FILL_FLAGS.negRisk : 0) +
    fill.generation * FILL_FLAGS.generation
  )
}

/** The fills of a match have the hash of its transaction, and most sets are what their condition has. */
function splitLine(split: SplitFact, names: Names): string {
  const { seq, amount, isMerge, isCore, isUser } = split
  const condition = names.condition(split.condition)
  const flags =
    (isMerge ? SPLIT_FLAGS.merge : 0) +
    (isCore ? SPLIT_FLAGS.core : 0) +
    (isUser ? SPLIT_FLAGS.user : 0)
  const tx = isUser ? copyBytes(split.txHash) : NULL
  const tokens = isWholeSet(split, names.tokensOf(condition), names)
    ? NULL
    : copyTokens(names, split.tokens)
  return `${seq}\t${amount}\t${names.wallet(split.wallet)}\t${condition}\t${flags}\t${tx}\t${tokens}\n`
}

function isWholeSet({ tokens }: SplitFact, set: readonly number[], names: Names): boolean {
  if (tokens.length === 0 || tokens.length !== set.length) return false
  return tokens.every((word, outcome) => names.token(word) === set[outcome])
}

function redemptionLine(redemption: RedemptionFact, names: Names): string {
  const { seq, payout, isCore, isUser, source } = redemption
  const wallet = names.wallet(redemption.wallet)
  const condition = names.condition(redemption.condition)
  const flags =
    (isCore ? REDEMPTION_FLAGS.core : 0) +
    (isUser ? REDEMPTION_FLAGS.user : 0) +
    (source === 'auto_redeemer' ? REDEMPTION_FLAGS.autoRedeemer : 0)
  const tokens = copyTokens(names, redemption.tokens)
  const amounts = copyNumbers(redemption.amounts)
  return `${seq}\t${payout}\t${wallet}\t${condition}\t${flags}\t${tokens}\t${amounts}\t${copyBytes(redemption.txHash)}\n`
}

function conversionLine(conversion: ConversionFact, names: Names): string {
  const { seq, amount, received, cash } = conversion
  const wallet = names.wallet(conversion.wallet)
  const market = copyBytes(conversion.market)
  const indexSet = copyBytes(conversion.indexSet)
  const given = copyTokens(names, conversion.given)
  const taken = copyTokens(names, conversion.taken)
  return `${seq}\t${amount}\t${received}\t${cash}\t${wallet}\t${market}\t${indexSet}\t${given}\t${taken}\t${copyBytes(conversion.txHash)}\n`
}

function migrationLine(migration: MigrationFact, names: Names): string {
  const { seq, amount } = migration
  const wallet = names.wallet(migration.wallet)
  const fromToken = names.token(migration.fromToken)
  const toToken = names.token(migration.toToken)
  return `${seq}\t${amount}\t${wallet}\t${fromToken}\t${toToken}\t${copyBytes(migration.txHash)}\n`
}

function transferLine(transfer: TransferFact, names: Names): string {
  const { seq, sub, amount, isInternal } = transfer
  const from = names.wallet(transfer.from)
  const to = names.wallet(transfer.to)
  const token = names.token(transfer.token)
  return `${seq}\t${amount}\t${from}\t${to}\t${token}\t${sub}\t${isInternal}\t${copyBytes(transfer.txHash)}\n`
}

function supplyLine({ block, token, minted, burned }: SupplyFact, names: Names): string {
  return `${block}\t${names.token(token)}\t${minted}\t${burned}\n`
}

function feeLine({ seq, amount, wallet, token, kind, txHash }: FeeFact, names: Names): string {
  const tokenId = token === undefined ? NULL : names.token(token)
  return `${seq}\t${amount}\t${names.wallet(wallet)}\t${tokenId}\t${FEE_KINDS[kind]}\t${copyBytes(txHash)}\n`
}

function flowLine({ seq, amount, kind, from, to, asset, txHash }: FlowFact, names: Names): string {
  const assetId = names.wallet(asset)
  return `${seq}\t${amount}\t${names.wallet(from)}\t${names.wallet(to)}\t${assetId}\t${FLOW_KINDS[kind]}\t${copyBytes(txHash)}\n`
}
