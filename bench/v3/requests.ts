import type { Samples } from './samples.js'

export type ToPath = (samples: Samples, index: number) => string

/** Each requests the wallet, token or builder of the samples that has this index. */
export const HISTORY_REQUESTS: Readonly<Record<string, ToPath>> = {
  'trades of a wallet': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/trades`,
  'trades of a whale': ({ whale }) => `/v3/wallets/${whale}/trades`,
  'large trades of a whale': ({ whale }) => `/v3/wallets/${whale}/trades?min_amount_usd=300`,
  'activity of a wallet': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/activity`,
  'fees of a wallet': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/fees-paid`,
  'positions of a wallet': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/positions`,
  'positions of a whale': ({ whale }) => `/v3/wallets/${whale}/positions`,
  'trades of a market': ({ tokens }, index) => `/v3/markets/${at(tokens, index)}/trades`,
  'trades of all markets': () => '/v3/trades',
  'holders of a market': ({ tokens }, index) => `/v3/markets/${at(tokens, index)}/positions`,
  'summary of a wallet': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}`,
  'summary of a whale': ({ whale }) => `/v3/wallets/${whale}`,
  'profit of a month': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/pnl?period=30d`,
  'profit by day': ({ wallets }, index) => `/v3/wallets/${at(wallets, index)}/pnl/events?group=day&period=1y`,
  'deep page of a market': ({ tokens }, index) => `/v3/markets/${at(tokens, index)}/trades?offset=40`,
  'trades of a builder': ({ builders }, index) => `/v3/builders/${at(builders, index)}/trades`,
  resolutions: () => '/v3/resolutions',
  search: (_samples, index) => `/v3/markets/search?q=${at(SEARCHES, index)}&limit=20`,
  candles: ({ tokens }, index) => `/v3/markets/${at(tokens, index)}/candles?resolution=1h`,
}

const SEARCHES = ['election+ohio', 'bitcoin+reach', 'senate+kenya', 'recession+may', 'tarifs+peru']

const at = (values: readonly string[], index: number): string => values[index % values.length] ?? ''
