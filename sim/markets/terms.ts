import type { Market } from '../universe/market.js'

/** pUSD, which rewards are paid in. */
export const REWARD_ASSET = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'

export const TICK_DEFAULT_E4 = 100
export const ORDER_SHARES_MIN = 5

/** The base fee is the highest that an order may be charged, not what it pays. */
export const baseFeeBps = (market: Market): number => (market.feeRate > 0 ? 1000 : 0)

export type FeeSchedule = { exponent: number; rate: number; takerOnly: boolean; rebateRate: number }

export const feeSchedule = ({ feeRate }: Market): FeeSchedule => ({
  exponent: 1,
  rate: feeRate,
  takerOnly: true,
  rebateRate: 0.2,
})

export type Rewards = { dailyRate: number; sharesMin: number; spreadCentsMax: number }

/** Pay for resting orders close to the middle. Windows are too short-lived to have any. */
export function rewardsOf(market: Market): Rewards | undefined {
  if (market.event.window !== undefined) return undefined
  return { dailyRate: 5 + (Number(market.id) % 20) * 5, sharesMin: 50, spreadCentsMax: 4.5 }
}
