import type { ActOf, Transfer } from '../universe/acts.js'
import type { Wallet } from '../universe/wallet.js'
import { ADDRESS, WORD } from './addresses.js'
import { transferBatch, transferSingle } from './events/erc1155.js'
import type { LogBody } from './log.js'
import { SELECTOR } from './selectors.js'
import { TOPIC } from './topics.js'
import { hasFirstForm } from './wallet-addresses.js'
import { addressWord, bytesWord, word } from './words.js'

/** A plain key needs no creation and leaves no trace. */
export function encodeCreateWallet({ wallet }: ActOf<'createWallet'>): LogBody[] {
  switch (wallet.kind) {
    case 'eoa':
      return []
    case 'proxy':
      return [transactionRelayed(wallet)]
    case 'safe':
      return [proxyCreation(wallet)]
    case 'deposit':
      return [walletDeployed(wallet)]
  }
}

/** A gift of shares from one trader to another. */
export function encodeTransfer(act: Transfer): LogBody[] {
  const { shares } = act
  const parties = [tokenContract(act), act.from.word, act.from.word, act.to.word] as const
  const [only, ...others] = shares
  if (only !== undefined && others.length === 0) {
    return [transferSingle(...parties, only.token.word, only.amount)]
  }
  const tokens = shares.map(({ token }) => token.word)
  const amounts = shares.map(({ amount }) => amount)
  return [transferBatch(...parties, tokens, amounts)]
}

/** The contract of the tokens that the wallet gives away. */
export function tokenContract({ shares }: Transfer): string {
  return shares[0]?.token.of.kind === 'market' ? ADDRESS.ctf : ADDRESS.positionManager
}

/** A proxy wallet comes into being with the first call that a relay makes for its owner. */
function transactionRelayed({ owner }: Wallet): LogBody {
  const success = word(0)
  const charge = word(0)
  return {
    address: ADDRESS.relayHub,
    topics: [
      TOPIC.transactionRelayed,
      `0x${WORD.relay}`,
      `0x${addressWord(owner)}`,
      `0x${WORD.proxyFactory}`,
    ],
    data: `0x${bytesWord(SELECTOR.proxy)}${success}${charge}`,
  }
}

function proxyCreation(wallet: Wallet): LogBody {
  return {
    address: ADDRESS.safeFactory,
    topics: [TOPIC.proxyCreation],
    data: `0x${wallet.word}${addressWord(wallet.owner)}`,
  }
}

/** The id from which the address follows is the owner itself. */
function walletDeployed(wallet: Wallet): LogBody {
  const owner = addressWord(wallet.owner)
  return {
    address: ADDRESS.depositWalletFactory,
    topics: [TOPIC.walletDeployed, `0x${wallet.word}`, `0x${owner}`, `0x${owner}`],
    data: `0x${hasFirstForm(wallet.owner) ? WORD.depositWalletImplementation : WORD.depositWalletBeacon}`,
  }
}
