import type { Samples } from './samples.js'

export type ToPath = (samples: Samples, turn: number) => string

/** Each asks in turn for another wallet, token or builder of the samples. */
export const HISTORY_REQUESTS: Readonly<Record<string, ToPath>> = {
  'trades of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/trades`,
  'trades of a whale': ({ whale }) => `/v3/wallets/${whale}/trades`,
  'large trades of a whale': ({ whale }) => `/v3/wallets/${whale}/trades?min_amount_usd=300`,
  'activity of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/activity`,
  'fees of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/fees-paid`,
  'positions of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/positions`,
  'positions of a whale': ({ whale }) => `/v3/wallets/${whale}/positions`,
  'trades of a market': ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/trades`,
  'trades of all markets': () => '/v3/trades',
  'holders of a market': ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/positions`,
  'summary of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}`,
  'summary of a whale': ({ whale }) => `/v3/wallets/${whale}`,
  'profit of a month': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/pnl?period=30d`,
  'profit by day': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/pnl/events?group=day&period=1y`,
  'deep page of a market': ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/trades?offset=40`,
  'trades of a builder': ({ builders }, turn) => `/v3/builders/${at(builders, turn)}/trades`,
  resolutions: () => '/v3/resolutions',
  search: (_samples, turn) => `/v3/markets/search?q=${at(SEARCHES, turn)}&limit=20`,
  candles: ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/candles?resolution=1h`,
}

const SEARCHES = ['election+ohio', 'bitcoin+reach', 'senate+kenya', 'recession+may', 'tarifs+peru']

const at = (values: readonly string[], turn: number): string => values[turn % values.length] ?? ''
