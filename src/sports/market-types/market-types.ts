import { badRequest } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import { listLeagues } from '../leagues/leagues.js'
import type { SportsTools } from '../sources.js'
import { KNOWN_CODES, type MarketType, toMarketType } from './market-type.js'
import { SPORT_NAMES, sportOfLeague } from './sports.js'

const FRESH_MS = 3_600_000
/** The platform has about a hundred codes of up to forty letters. */
const CODES_MAX = 2_000
const CODE_LENGTH_MAX = 100

export type MarketTypes = {
  types: MarketType[]
  source: string
  isFallback: boolean
  isStale: boolean
}

/** All kinds of markets as the platform lists them; those that we know when it never answered. */
export async function listMarketTypes(tools: SportsTools): Promise<MarketTypes> {
  try {
    const { value, isStale } = await readCodes(tools)
    const types = value.map(toMarketType)
    return { types, source: 'gamma:/sports/market-types', isFallback: false, isStale }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const types = KNOWN_CODES.map(toMarketType)
    return { types, source: 'auspex:market-types', isFallback: true, isStale: false }
  }
}

const readCodes = ({ deps, caller: { accountId } }: SportsTools) =>
  deps.fallbackCache.get('sports market types', {
    freshMs: FRESH_MS,
    accountId,
    load: async () => {
      const codes = await withUpstreamTimeout('gamma', (signal) =>
        deps.upstreams.gamma.listMarketTypes({ signal, accountId }),
      )
      const isCode = ({ length }: string) => length > 0 && length <= CODE_LENGTH_MAX
      return [...new Set(codes)].filter(isCode).slice(0, CODES_MAX)
    },
  })

/**
 * Whether a sport may have a kind of market. `name` is a sport or the code of a league; of a league
 * whose sport is not known, only kinds that every sport may have are. Throws 400 for other names.
 */
export async function createSportFilter(
  tools: SportsTools,
  name: string,
): Promise<(type: MarketType) => boolean> {
  const sport = SPORT_NAMES.find((known) => known === name) ?? sportOfLeague(name)
  if (sport === undefined) await requireLeague(tools, name)
  return ({ sports }) => sports === undefined || sports.some((one) => one === sport)
}

async function requireLeague(tools: SportsTools, name: string): Promise<void> {
  const { value: leagues } = await listLeagues(tools)
  if (leagues.some(({ sport }) => sport.toLowerCase() === name)) return
  throw badRequest(`Invalid sport. Allowed: ${SPORT_NAMES.join(', ')}, or the code of a league`)
}
