import type { Coin, Interval, Tag } from './market.js'

const tag = (id: number, label: string, slug: string): Tag => ({ id: String(id), label, slug })

export const TAGS: readonly Tag[] = [
  tag(21, 'Crypto', 'crypto'),
  tag(2, 'Politics', 'politics'),
  tag(144, 'Elections', 'elections'),
  tag(101_191, 'Polls', 'polls'),
  tag(1_101, 'Congress', 'congress'),
  tag(596, 'Culture', 'pop-culture'),
  tag(597, 'Culture', 'culture'),
  tag(53, 'Movies', 'movies'),
  tag(100_343, 'Mentions', 'mentions'),
  tag(100_328, 'Economy', 'economy'),
  tag(100_196, 'Fed Rates', 'fed-rates'),
  tag(702, 'Inflation', 'inflation'),
  tag(120, 'Finance', 'finance'),
  tag(604, 'Stocks', 'stocks'),
  tag(1_401, 'Tech', 'tech'),
  tag(439, 'AI', 'ai'),
  tag(74, 'Science', 'science'),
  tag(84, 'Weather', 'weather'),
  tag(103_040, 'Daily Temperature', 'daily-temperature'),
  tag(101_970, 'World', 'world'),
  tag(102_127, 'Up or Down', 'up-or-down'),
  tag(101_757, 'Recurring', 'recurring'),
  tag(1_312, 'Crypto Prices', 'crypto-prices'),
  tag(102_536, 'Multi Strikes', 'multi-strikes'),
  tag(235, 'Bitcoin', 'bitcoin'),
  tag(39, 'Ethereum', 'ethereum'),
  tag(818, 'Solana', 'solana'),
  tag(101_267, 'XRP', 'xrp'),
  tag(102_134, 'Dogecoin', 'dogecoin'),
  tag(102_281, 'BNB', 'bnb'),
  tag(102_703, 'Hyperliquid', 'hyperliquid'),
  tag(102_892, '5M', '5M'),
  tag(102_467, '15M', '15M'),
  tag(102_175, '1H', '1H'),
  tag(102_531, '4H', '4h'),
  tag(102_264, 'Daily', 'daily'),
]

/** Only in universes where games are played. */
export const SPORT_TAGS: readonly Tag[] = [
  tag(1, 'Sports', 'sports'),
  tag(100_639, 'Games', 'games'),
  tag(745, 'NBA', 'nba'),
  tag(28, 'Basketball', 'basketball'),
  tag(450, 'NFL', 'nfl'),
  tag(899, 'NHL', 'nhl'),
  tag(100_088, 'Hockey', 'hockey'),
  tag(100_350, 'Soccer', 'soccer'),
  tag(82, 'EPL', 'epl'),
  tag(100_100, 'MLS', 'mls'),
  tag(864, 'Tennis', 'tennis'),
  tag(101_232, 'ATP', 'atp'),
  tag(102_123, 'WTA', 'wta'),
  tag(64, 'Esports', 'esports'),
  tag(100_780, 'Counter-Strike 2', 'counter-strike-2'),
  tag(65, 'League of Legends', 'league-of-legends'),
]

const BY_SLUG = new Map([...TAGS, ...SPORT_TAGS].map((entry) => [entry.slug, entry]))

export function tagsBySlug(slugs: readonly string[]): readonly Tag[] {
  return slugs.map((slug) => {
    const found = BY_SLUG.get(slug)
    if (found === undefined) throw new RangeError(`no tag ${slug}`)
    return found
  })
}

const COIN_TAGS: Record<Coin, string> = {
  btc: 'bitcoin',
  eth: 'ethereum',
  sol: 'solana',
  xrp: 'xrp',
  doge: 'dogecoin',
  bnb: 'bnb',
  hype: 'hyperliquid',
}
const INTERVAL_TAGS: Record<Interval, string> = {
  '5m': '5M',
  '15m': '15M',
  '1h': '1H',
  '4h': '4h',
  '1d': 'daily',
}

export const windowTags = (coin: Coin, interval: Interval): readonly Tag[] =>
  tagsBySlug(['crypto', 'up-or-down', 'recurring', 'crypto-prices', COIN_TAGS[coin], INTERVAL_TAGS[interval]])
