import { copyBytes, copyBytesOrNull, copyText, NULL } from '../../store/copy.js'
import { isHex } from '../../upstreams/polygon/abi.js'
import type {
  ComboEventFact,
  ComboFact,
  NegRiskMarketFact,
  NegRiskQuestionFact,
  OracleFact,
  PreparationFact,
  RawLogFact,
  ResolutionFact,
  WalletOwnerFact,
} from '../attribute/tape.js'
import type { Names } from '../ids/names.js'
import { copyNumbers, copyTokens, type FactTable, factTable } from './fact-table.js'

/** A node may send anything where digits should be; such a log cannot be kept as bytes. */
export const isHexLog = ({ topics, data }: RawLogFact): boolean =>
  isBytes(data) && topics.every(isBytes)

const isBytes = (text: string): boolean => text.length % 2 === 0 && isHex(text, text.length / 2 - 1)

/** What happens to questions, combos and wallets, and what has no table of its own. */
export const QUESTION_FACTS: readonly FactTable[] = [
  factTable(
    'preparations',
    'seq condition oracle outcomes question tx_hash',
    (tape) => tape.preparations,
    preparationLine,
  ),
  factTable(
    'resolutions',
    'seq condition payouts tx_hash',
    (tape) => tape.resolutions,
    resolutionLine,
    { isAskedFor: true },
  ),
  factTable(
    'oracle_events',
    'seq kind contract question request_time actor proposer price payouts expiration tx_hash',
    (tape) => tape.oracle,
    oracleLine,
  ),
  factTable(
    'neg_risk_markets',
    'seq oracle fee_bips market tx_hash',
    (tape) => tape.negRiskMarkets,
    marketLine,
  ),
  factTable(
    'neg_risk_questions',
    'seq index market question tx_hash',
    (tape) => tape.negRiskQuestions,
    questionLine,
  ),
  factTable('combos', 'seq condition legs tx_hash', (tape) => tape.combos, comboLine),
  factTable(
    'combo_events',
    'seq amount payout wallet contract condition kind tokens tx_hash',
    (tape) => tape.comboEvents,
    comboEventLine,
  ),
  factTable('wallet_owners', 'seq wallet owner kind', (tape) => tape.walletOwners, ownerLine),
  factTable(
    'raw_logs',
    'seq contract kind topics data tx_hash',
    (tape) => tape.rawLogs.filter(isHexLog),
    rawLogLine,
  ),
]

function preparationLine(preparation: PreparationFact, names: Names): string {
  const { seq, outcomes, question, txHash } = preparation
  const condition = names.condition(preparation.condition)
  const oracle = names.wallet(preparation.oracle)
  return `${seq}\t${condition}\t${oracle}\t${outcomes}\t${copyBytes(question)}\t${copyBytes(txHash)}\n`
}

function resolutionLine({ seq, condition, payouts, txHash }: ResolutionFact, names: Names): string {
  return `${seq}\t${names.condition(condition)}\t${copyNumbers(payouts)}\t${copyBytes(txHash)}\n`
}

function oracleLine(step: OracleFact, names: Names): string {
  const { seq, kind, payouts } = step
  return `${[
    seq,
    kind,
    names.wallet(step.contract),
    copyBytesOrNull(step.question),
    step.requestTimeSec ?? NULL,
    step.actor === undefined ? NULL : names.wallet(step.actor),
    step.proposer === undefined ? NULL : names.wallet(step.proposer),
    step.price ?? NULL,
    payouts === undefined ? NULL : copyNumbers(payouts),
    step.expirationSec ?? NULL,
    copyBytes(step.txHash),
  ].join('\t')}\n`
}

function marketLine(
  { seq, oracle, feeBips, market, txHash }: NegRiskMarketFact,
  names: Names,
): string {
  return `${seq}\t${names.wallet(oracle)}\t${feeBips}\t${copyBytes(market)}\t${copyBytes(txHash)}\n`
}

function questionLine({ seq, index, market, question, txHash }: NegRiskQuestionFact): string {
  return `${seq}\t${index}\t${copyBytes(market)}\t${copyBytes(question)}\t${copyBytes(txHash)}\n`
}

function comboLine({ seq, condition, legs, txHash }: ComboFact, names: Names): string {
  const digits = legs.map((leg) => leg.slice(2)).join('')
  return `${seq}\t${names.condition(condition)}\t${copyBytes(`0x${digits}`)}\t${copyBytes(txHash)}\n`
}

function comboEventLine(event: ComboEventFact, names: Names): string {
  return `${[
    event.seq,
    event.amount,
    event.payout ?? NULL,
    names.wallet(event.wallet),
    names.wallet(event.contract),
    event.condition === undefined ? NULL : names.condition(event.condition),
    copyText(event.kind),
    copyTokens(names, event.tokens),
    copyBytes(event.txHash),
  ].join('\t')}\n`
}

function ownerLine({ seq, wallet, owner, kind }: WalletOwnerFact, names: Names): string {
  return `${seq}\t${names.wallet(wallet)}\t${names.wallet(owner)}\t${kind}\n`
}

function rawLogLine(log: RawLogFact, names: Names): string {
  // Backslashes once for the array, and once more for COPY.
  const topics = log.topics.map((topic) => `"\\\\\\\\x${topic.slice(2)}"`)
  return `${[
    log.seq,
    names.wallet(log.contract),
    copyText(log.kind),
    `{${topics.join()}}`,
    copyBytes(log.data),
    copyBytes(log.txHash),
  ].join('\t')}\n`
}
