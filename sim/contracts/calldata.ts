import type { Act, ActOf, Migrate, Redeem, RedeemCombo } from '../universe/acts.js'
import type { Market } from '../universe/market.js'
import type { Wallet } from '../universe/wallet.js'
import { type Argument, arrayArgument, bytesArgument, encodeArguments, textArgument } from './abi.js'
import { WORD } from './addresses.js'
import { legWords } from './combos.js'
import { IDENTIFIER } from './events/uma.js'
import { matchInput } from './match-calldata.js'
import { migratingMarket } from './migrations.js'
import { BOND, LIVENESS_SEC, priceWord, requestOf } from './oracle.js'
import { SELECTOR } from './selectors.js'
import { binaryConditionOf } from './structured-ids.js'
import { addressWord, bytesWord, type Word, word, ZERO_WORD } from './words.js'

/** Calldata of the transaction that does the act: 0x and hex. */
export function transactionInput(act: Act): string {
  switch (act.kind) {
    case 'match':
      return matchInput(act)
    case 'createWallet':
      return createWallet(act.wallet)
    case 'deposit':
      return call(SELECTOR.wrap, [WORD.usdce, act.wallet.word, word(act.amount)])
    case 'withdraw':
      return call(SELECTOR.unwrap, [WORD.usdce, addressWord(act.wallet.owner), word(act.amount)])
    case 'split':
    case 'merge':
      return splitOrMerge(act)
    case 'redeem':
      return redeem(act)
    case 'convert':
      return convert(act)
    case 'transfer':
      return transfer(act)
    case 'prepareMarket':
      return initialize(act.market)
    case 'prepareEvent':
      return prepareEvent(act)
    case 'propose':
      return call(SELECTOR.proposePrice, [...request(act), priceWord(act.price)])
    case 'dispute':
      return call(SELECTOR.disputePrice, request(act))
    case 'resolve':
      return call(SELECTOR.resolve, [act.market.requestId.slice(2)])
    case 'prepareCombo':
      return call(SELECTOR.prepareCondition, [arrayArgument(legWords(act.combo))])
    case 'registerLeg':
      return call(SELECTOR.prepareMigration, [act.market.conditionId.slice(2)])
    case 'resolveLeg':
      return call(SELECTOR.resolveMigration, [bytesWord(binaryConditionOf(act.market.conditionId))])
    case 'redeemCombo':
      return redeemCombo(act)
    case 'migrate':
      return migrate(act)
  }
}

const BOTH_OUTCOMES = arrayArgument([word(1), word(2)])

function call(selector: string, args: readonly Argument[]): string {
  return selector + encodeArguments(args)
}

function splitOrMerge(act: ActOf<'split'> | ActOf<'merge'>): string {
  const { era, market, amount } = act
  const condition = market.conditionId.slice(2)
  const splits = act.kind === 'split'
  if (era === 'v1' && market.event.negRisk) {
    const selector = splits ? SELECTOR.negRiskSplitPosition : SELECTOR.negRiskMergePositions
    return call(selector, [condition, word(amount)])
  }
  const collateral = era === 'v1' ? WORD.usdce : WORD.pusd
  const args = [collateral, ZERO_WORD, condition, BOTH_OUTCOMES, word(amount)]
  return call(splits ? SELECTOR.splitPosition : SELECTOR.mergePositions, args)
}

function redeem({ route, wallet, market, amounts }: Redeem): string {
  const condition = market.conditionId.slice(2)
  const isNegRisk = market.event.negRisk !== undefined
  if (route === 'auto') {
    const selector = isNegRisk ? SELECTOR.autoRedeemNegRisk : SELECTOR.autoRedeemBinary
    return call(selector, [arrayArgument([wallet.word]), arrayArgument([condition])])
  }
  if (route === 'direct' && isNegRisk) {
    const args = [condition, arrayArgument(amounts.map(word))]
    return call(SELECTOR.negRiskRedeemPositions, args)
  }
  const collateral = route === 'direct' ? WORD.usdce : WORD.pusd
  return call(SELECTOR.redeemPositions, [collateral, ZERO_WORD, condition, BOTH_OUTCOMES])
}

function convert({ event, indexSet, amount }: ActOf<'convert'>): string {
  const market = event.negRisk?.marketId.slice(2) ?? ZERO_WORD
  return call(SELECTOR.convertPositions, [market, word(indexSet), word(amount)])
}

function transfer({ from, to, shares }: ActOf<'transfer'>): string {
  const tokens = shares.map(({ token }) => token.word)
  const amounts = shares.map(({ amount }) => word(amount))
  const nothing = bytesArgument('')
  if (shares.length === 1) {
    return call(SELECTOR.safeTransferFrom, [from.word, to.word, ...tokens, ...amounts, nothing])
  }
  const lists = [arrayArgument(tokens), arrayArgument(amounts)]
  return call(SELECTOR.safeBatchTransferFrom, [from.word, to.word, ...lists, nothing])
}

/** The adapter itself appends the caller to the text. */
function initialize({ ancillaryData }: Market): string {
  const text = ancillaryData.replace(/,initializer:[0-9a-f]{40}$/, '')
  const args = [textArgument(text), WORD.usdce, word(0), word(BOND), word(LIVENESS_SEC)]
  return call(SELECTOR.initialize, args)
}

function prepareEvent({ event }: ActOf<'prepareEvent'>): string {
  const { feeBips, metadata } = event.negRisk ?? { feeBips: 0, metadata: '' }
  return call(SELECTOR.prepareMarket, [word(feeBips), textArgument(metadata)])
}

function request(act: ActOf<'propose'> | ActOf<'dispute'>): Argument[] {
  const { requester, timestampSec, ancillaryData } = requestOf(act)
  return [requester, IDENTIFIER, word(timestampSec), textArgument(ancillaryData)]
}

function migrate({ combo, amounts }: Migrate): string {
  const condition = migratingMarket(combo).conditionId.slice(2)
  const outcomes = ([0, 1] as const).filter((outcome) => amounts[outcome] > 0)
  return call(SELECTOR.migratePositions, [
    arrayArgument(outcomes.map(() => condition)),
    arrayArgument(outcomes.map(word)),
    arrayArgument(outcomes.map((outcome) => word(amounts[outcome]))),
  ])
}

function redeemCombo({ route, wallet, token, amount }: RedeemCombo): string {
  if (route === 'auto') {
    const args = [arrayArgument([wallet.word]), arrayArgument([token.word])]
    return call(SELECTOR.autoRedeem, args)
  }
  const condition: Word = `${token.word.slice(0, 62)}00`
  return call(SELECTOR.routerRedeem, [condition, word(token.outcome), word(amount)])
}

function createWallet({ kind, owner }: Wallet): string {
  const nothing = bytesArgument('')
  switch (kind) {
    case 'eoa':
      return '0x'
    case 'proxy': {
      const inner = call(SELECTOR.proxy, [arrayArgument([])]).slice(2)
      const limits = word(0) + word(0) + word(0) + word(0)
      const parties = addressWord(owner) + WORD.proxyFactory
      return call(SELECTOR.relayCall, [parties, bytesArgument(inner), limits, nothing, nothing])
    }
    case 'safe':
      return call(
        SELECTOR.createSafe,
        Array.from({ length: 6 }, () => ZERO_WORD),
      )
    case 'deposit': {
      const owners = arrayArgument([addressWord(owner)])
      return call(SELECTOR.deployWallets, [owners, owners])
    }
  }
}
