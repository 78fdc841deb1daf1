import type { Detector, Occurrence } from './detector.js'
import type { FactSlice } from './fact-slice.js'
import { type PositionAction, readActions } from './position-actions.js'
import { identityOf, presentFill, readTrades, type SliceTrade } from './trades.js'

/** Whatever a watched wallet does. A trade between two watched wallets is one event. */
export const watchedActivity: Detector = {
  types: ['wallet_activity'],
  async detect(slice) {
    const isWatched = (wallet: string) => slice.isWatched('wallet_activity', wallet)
    const [trades, actions] = await Promise.all([watchedTrades(slice, isWatched), readActions(slice)])
    const occurrences = [
      ...trades.map(toTradeActivity),
      ...actions.filter(({ wallet }) => isWatched(wallet)).map(toActivity),
    ]
    return { occurrences }
  },
}

async function watchedTrades(slice: FactSlice, isWatched: (wallet: string) => boolean) {
  const trades = await readTrades(slice)
  return trades.filter(({ fill }) => isWatched(fill.maker) || isWatched(fill.taker))
}

const toTradeActivity = ({ fill, market }: SliceTrade): Occurrence => ({
  type: 'wallet_activity',
  seq: fill.seq,
  timeSec: fill.timeSec,
  identity: `trade ${identityOf(fill)}`,
  keys: { wallets: [fill.maker, fill.taker] },
  present: () => ({ activity_type: 'trade', ...presentFill(fill, market) }),
})

const toActivity = ({ type, seq, timeSec, identity, ...action }: PositionAction): Occurrence => ({
  type: 'wallet_activity',
  seq,
  timeSec,
  identity: `${type} ${identity}`,
  keys: { wallets: [action.wallet] },
  present: () => ({ activity_type: type, ...action.present() }),
})
