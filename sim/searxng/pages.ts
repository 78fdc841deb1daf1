import type { MarketEvent } from '../universe/market.js'
import { hash32 } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'

const HOUR_MS = 3_600_000
/** Pages about an event are written within this time before it is listed. */
const PUBLISHED_MS_MAX = 48 * HOUR_MS

/** A page of the simulated web. */
export type Page = {
  url: string
  title: string
  content: string
  /** `undefined`: the page does not say. */
  publishedMs: number | undefined
  event: MarketEvent
  /** A whole number of its own, from which chance is drawn. */
  seed: number
}

type Topic = { path: string; site: string; title: string; content: string; isDated: boolean }

/** What is written about a match between two sides; `%` stands for its title. */
const MATCH_TOPICS: readonly Topic[] = [
  topic('preview', 'www.sportsdesk.example', '%: preview', 'What to expect of %.'),
  topic('injuries', 'courtside.example', '% injury report', 'Who is out, questionable or back.'),
  topic('lineups', 'www.teamsheet.example', '% starting lineup', 'The expected lineups of %.'),
  topic('news', 'www.dailyticker.example', '% news', 'The latest news before %.'),
  topic('odds', 'oddsletter.example', '% odds and prediction', 'How the prediction market sees %.'),
  topic('tickets', 'www.boxoffice.example', 'Tickets for %', 'Seats for %.', false),
]

const OTHER_TOPICS: readonly Topic[] = [
  topic('news', 'www.dailyticker.example', '% – news', 'The latest news about the question: %'),
  topic('odds', 'oddsletter.example', '% – odds', 'What Polymarket traders expect. %'),
  topic('explained', 'www.plainwords.example', '% – explained', 'Background to: %', false),
]

function topic(path: string, site: string, title: string, content: string, isDated = true): Topic {
  return { path, site, title, content, isDated }
}

/** The pages that exist now; those of up-or-down windows left out: nothing is written about them. */
export const listPages = (universe: Universe): Page[] =>
  universe.catalogue
    .events()
    .filter(({ window }) => window === undefined)
    .flatMap((event) => pagesOf(event, universe.seed))

function pagesOf(event: MarketEvent, seed: number): Page[] {
  const topics = / vs\.? /.test(event.title) ? MATCH_TOPICS : OTHER_TOPICS
  return topics.map(({ path, site, title, content, isDated }, index) => {
    const own = hash32(seed, Number(event.id), index)
    return {
      url: `https://${site}/${path}/${event.slug}`,
      title: title.replace('%', event.title),
      content: content.replace('%', event.title),
      publishedMs: isDated ? event.createdMs - (own % PUBLISHED_MS_MAX) : undefined,
      event,
      seed: own,
    }
  })
}
