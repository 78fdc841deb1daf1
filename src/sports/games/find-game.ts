import { notFound } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import { COMPANION_SUFFIXES, canonicalSlugOf } from '../../lookups/game-slug.js'
import type { GammaEvent } from '../../upstreams/gamma/parse.js'
import type { CallOptions } from '../../upstreams/transport/http.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { SportsTools } from '../sources.js'
import { foldGame, type Game } from './game.js'
import { selectEventSlug, selectSlugOfMarket } from './queries.js'

/** How long a game is shown without asking Gamma again. */
const GAME_MS = 30_000
/** An event keeps its slug, and a market its event. */
const SLUG_MS = 60 * 60_000

/** A game goes by its slug, by an event of it, its companions too, or by a market of it. */
export type GameName = { slug: string } | { eventId: string } | { marketId: string }

/** Throws 404 when there is no such event or market, or it is not about a game. */
export async function findGame(tools: SportsTools, name: GameName): Promise<Cached<Game>> {
  const { deps, caller } = tools
  const slug = canonicalSlugOf(await findSlug(tools, name))
  const { value, ...cached } = await deps.fallbackCache.get(`sports game ${slug}`, {
    freshMs: GAME_MS,
    accountId: caller.accountId,
    load: () => withUpstreamTimeout('gamma', (signal) => readGame(tools, slug, signal)),
    // An event that is closed between the two lists is in neither of them.
    isDoubtful: (game) => game?.slug !== slug,
  })
  if (value === undefined) throw notFound(`Game ${slug} not found`)
  return { ...cached, value }
}

/**
 * One round of calls, whatever companions there are: lists show either what is open or what is closed.
 * `undefined`: neither has an event of the game.
 */
async function readGame(
  { deps, caller }: SportsTools,
  slug: string,
  signal: AbortSignal,
): Promise<Game | undefined> {
  const slugs = [slug, ...COMPANION_SUFFIXES.map((suffix) => slug + suffix)]
  const call = { signal, accountId: caller.accountId }
  const pages = await Promise.all(
    [false, true].map((closed) =>
      deps.upstreams.gamma.readEventPage({ slug: slugs, closed, limit: slugs.length }, undefined, call),
    ),
  )
  const events = pages.flatMap(({ items }) => items)
  const [fault] = pages.flatMap(({ faults }) => faults)
  if (events.length === 0 && fault !== undefined)
    throw new UpstreamError(`no event could be read: ${fault}`, {
      upstream: 'gamma',
      retryable: false,
    })
  return events.length === 0 ? undefined : (foldGame(events) ?? notAGame(slug))
}

function notAGame(slug: string): never {
  throw notFound(`${slug} is not a game: it is an event without a match-up`)
}

/** The catalogue knows most events and markets; for the others a further call is made once. */
async function findSlug(tools: SportsTools, name: GameName): Promise<string> {
  const { upstreams } = tools.deps
  const { answerSql } = tools.platform
  if ('slug' in name) return name.slug
  if ('eventId' in name) {
    const id = name.eventId
    return (
      (await selectEventSlug(answerSql, id)) ??
      (await readSlug(tools, `Event ${id}`, (call) => upstreams.gamma.getEvent(id, call)))
    )
  }
  const id = name.marketId
  return (
    (await selectSlugOfMarket(answerSql, id)) ??
    (await readSlug(tools, `Market ${id}`, async (call) => {
      const market = await upstreams.gamma.getMarket(id, call)
      return market?.events[0]
    }))
  )
}

async function readSlug(
  { deps, caller: { accountId } }: SportsTools,
  name: string,
  read: (call: CallOptions) => Promise<Pick<GammaEvent, 'slug'> | undefined>,
): Promise<string> {
  const { value } = await deps.fallbackCache.get(`sports slug of ${name}`, {
    freshMs: SLUG_MS,
    accountId,
    load: async () => {
      const event = await withUpstreamTimeout('gamma', (signal) => read({ signal, accountId }))
      if (event?.slug === undefined) throw notFound(`${name} not found`)
      return event.slug
    },
  })
  return value
}
