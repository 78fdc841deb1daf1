import type { Act, Redeem } from '../universe/acts.js'
import type { Market } from '../universe/market.js'
import type { Wallet } from '../universe/wallet.js'
import { ADDRESS } from './addresses.js'
import { matchTarget } from './match-calldata.js'
import { optimisticOracleOf, umaAdapterOf } from './oracle.js'
import { tokenContract } from './wallets.js'

/** The contract that the transaction of the act calls. */
export function transactionTarget(act: Act): string {
  switch (act.kind) {
    case 'match':
      return matchTarget(act)
    case 'createWallet':
      return walletTarget(act.wallet)
    case 'deposit':
      return ADDRESS.onramp
    case 'withdraw':
      return ADDRESS.offramp
    case 'split':
    case 'merge':
      return act.era === 'v1' ? positionsTarget(act.market) : adapterTarget(act.market)
    case 'redeem':
      return redeemTarget(act)
    case 'convert':
      return act.route === 'direct' ? ADDRESS.negRiskAdapter : ADDRESS.negRiskUserAdapter
    case 'transfer':
      return tokenContract(act)
    case 'prepareMarket':
    case 'resolve':
      return umaAdapterOf(act.market)
    case 'prepareEvent':
      return ADDRESS.negRiskOperator
    case 'propose':
    case 'dispute':
      return optimisticOracleOf(act.market)
    case 'registerLeg':
    case 'resolveLeg':
    case 'migrate':
      return ADDRESS.binaryModule
    case 'prepareCombo':
      return ADDRESS.combinatorialModule
    case 'redeemCombo':
      return act.route === 'auto' ? ADDRESS.autoRedeemer : ADDRESS.router
  }
}

function redeemTarget({ route, market }: Redeem): string {
  if (route === 'auto') return ADDRESS.autoRedeemer
  return route === 'direct' ? positionsTarget(market) : adapterTarget(market)
}

function positionsTarget({ event }: Market): string {
  return event.negRisk ? ADDRESS.negRiskAdapter : ADDRESS.ctf
}

function adapterTarget({ event }: Market): string {
  return event.negRisk ? ADDRESS.negRiskUserAdapter : ADDRESS.userAdapter
}

function walletTarget({ kind, address }: Wallet): string {
  switch (kind) {
    case 'eoa':
      return address
    case 'proxy':
      return ADDRESS.relayHub
    case 'safe':
      return ADDRESS.safeFactory
    case 'deposit':
      return ADDRESS.depositWalletFactory
  }
}
