import type { Detector } from './detector.js'
import type { Occurrence } from './occurrence.js'
import { type PositionAction, readActions } from './position-actions.js'
import type { Tape } from './tape.js'
import { identityOf, presentFill, readTrades, type TapeTrade } from './trades.js'

/** Whatever a watched wallet does. A trade between two watched wallets is one event. */
export const watchedActivity: Detector = {
  types: ['wallet_activity'],
  async detect(tape) {
    const isWatched = (wallet: string) => tape.isWatched('wallet_activity', wallet)
    const [trades, actions] = await Promise.all([watchedTrades(tape, isWatched), readActions(tape)])
    const occurrences = [
      ...trades.map(toTradeActivity),
      ...actions.filter(({ wallet }) => isWatched(wallet)).map(toActivity),
    ]
    return { occurrences }
  },
}

async function watchedTrades(tape: Tape, isWatched: (wallet: string) => boolean) {
  const trades = await readTrades(tape)
  return trades.filter(({ fill }) => isWatched(fill.maker) || isWatched(fill.taker))
}

const toTradeActivity = ({ fill, market }: TapeTrade): Occurrence => ({
  ...{ type: 'wallet_activity', seq: fill.seq, timeSec: fill.timeSec },
  identity: `trade ${identityOf(fill)}`,
  keys: { wallets: [fill.maker, fill.taker] },
  present: () => ({ activity_type: 'trade', ...presentFill(fill, market) }),
})

const toActivity = ({ type, seq, timeSec, identity, ...action }: PositionAction): Occurrence => ({
  ...{ type: 'wallet_activity', seq, timeSec, identity: `${type} ${identity}` },
  keys: { wallets: [action.wallet] },
  present: () => ({ activity_type: type, ...action.present() }),
})
