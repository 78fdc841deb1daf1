import type { Game } from '../games/game.js'

export const QUERY_SETS = ['default', 'injuries', 'lineups', 'news', 'social', 'markets'] as const
export type QuerySet = (typeof QUERY_SETS)[number]

/** Characters of a name: a title may be any length, and the query of a search may not. */
const NAME_CHARACTERS_MAX = 60
const TITLE_CHARACTERS_MAX = 120
/** Longer titles are cut before they are parsed. */
const READ_CHARACTERS_MAX = 500

/** What to ask about a game. `query` may hold operators of post search, put there by this file alone. */
export type GameQuery = { id: string; query: string; reason: string }

/** Plain words. Without `away` the title names no second side. */
type Subject = { title: string; home: string; away: string | undefined }

type Template = (subject: Subject) => GameQuery | undefined

const both = ({ home, away }: Subject): string => (away === undefined ? home : `${home} ${away}`)

const matchup =
  (topic: string, words: string, reason: string): Template =>
  (subject) => ({
    id: topic === '' ? 'matchup' : `matchup-${topic}`,
    query: `${both(subject)} ${words}`.trim(),
    reason,
  })

/** `undefined`: the title does not name that side. */
const side =
  (team: 't1' | 't2', topic: string, words: string, reason: string): Template =>
  ({ home, away }) => {
    const name = team === 't1' ? home : away
    if (name === undefined) return undefined
    return { id: `${team}-${topic}`, query: `${name} ${words}`, reason: `${reason} ${name}.` }
  }

const NEWS = matchup('news', 'news', 'The latest news about the match-up.')
const ODDS = matchup('odds', 'odds', 'What others think the match-up will come to.')

const SETS: Readonly<Record<QuerySet, readonly Template[]>> = {
  default: [
    matchup('', '', 'Everything about the match-up.'),
    matchup('injuries', 'injury', 'Injuries that bear on the match-up.'),
    matchup('lineups', 'lineup', 'Who will play.'),
    NEWS,
    ODDS,
  ],
  injuries: [
    matchup('injuries', 'injury', 'Injuries that bear on the match-up.'),
    side('t1', 'injuries', 'injury report', 'Injuries of'),
    side('t2', 'injuries', 'injury report', 'Injuries of'),
    matchup('availability', 'out questionable', 'Who is out or may be.'),
  ],
  lineups: [
    matchup('lineups', 'starting lineup', 'Who will start.'),
    side('t1', 'lineup', 'starting lineup', 'Who will start for'),
    side('t2', 'lineup', 'starting lineup', 'Who will start for'),
  ],
  news: [NEWS, side('t1', 'news', 'news', 'News about'), side('t2', 'news', 'news', 'News about')],
  social: [
    ({ home, away }) => ({
      id: 'matchup-social',
      query: away === undefined ? `"${home}"` : `"${home}" "${away}"`,
      reason: 'Posts that name both sides.',
    }),
    ({ home, away }) => ({
      id: 'matchup-hashtag',
      query: `#${[home, ...(away === undefined ? [] : ['vs', away])].join('').replace(NO_TAG, '')}`,
      reason: 'Posts under the hashtag of the match-up.',
    }),
    ({ title }) => ({
      id: 'matchup-popular',
      query: `${title} ${POPULAR}`,
      reason: 'Posts about it that many liked.',
    }),
  ],
  markets: [
    ({ title }) => ({
      id: 'matchup-market',
      query: `${title} Polymarket`,
      reason: 'What is said about its markets.',
    }),
    matchup('prediction', 'prediction market', 'Predictions of the match-up.'),
    ODDS,
  ],
}

/** An operator that web search does not know. */
const POPULAR = 'min_faves:10'
const NO_TAG = /[^\p{L}\p{M}\p{N}]/gu

/** The first `max` queries of the set. There is at least one, whatever the title. */
export function generateQueries(
  game: Pick<Game, 'title' | 'slug'>,
  { querySet, max }: { querySet: QuerySet; max: number },
): GameQuery[] {
  const subject = readSubject(game)
  return SETS[querySet].flatMap((template) => template(subject) ?? []).slice(0, max)
}

/** The words of a query for a web search. */
export const withoutPostOperators = (query: string): string => query.replace(POPULAR, '').trim()

/** "A vs. B", with what stands before and after the two names left out: a sport, a series, a length. */
const VERSUS = /^(?:[^:]*:\s)?(.+?)\s+(?:vs?\.?|@)\s+(.+?)(?:\s+[([].*|\s+[-–—]\s.*)?$/iu

function readSubject({ title, slug }: Pick<Game, 'title' | 'slug'>): Subject {
  const [, home = '', away = ''] = VERSUS.exec(title.slice(0, READ_CHARACTERS_MAX)) ?? []
  const names = [home, away].map((name) => toPlainName(name, NAME_CHARACTERS_MAX))
  const sides = TENNIS.test(slug) ? names.map(surnameOf) : names
  const [first = '', second = ''] = sides
  const whole = toPlainName(title, TITLE_CHARACTERS_MAX) || toPlainName(slug, TITLE_CHARACTERS_MAX) || 'game'
  if (first === '' || second === '') return { title: whole, home: whole, away: undefined }
  return { title: whole, home: first, away: second }
}

/** Leagues whose sides are players; people write about them by their surnames. */
const TENNIS = /^(atp|wta|itf)-/

/** The last word, with the particles before it: `del Potro`. */
const surnameOf = (name: string): string =>
  /(?:\b(?:de|del|della|di|da|dos|la|le|van|von|der|den|el) )*\S+$/u.exec(name)?.[0] ?? name

/**
 * Letters and digits, with dots, apostrophes, ampersands and hyphens inside of words: a title must not
 * bring operators of any search with it, such as `-word`, `from:name`, `OR` or quotes.
 */
function toPlainName(text: string, charactersMax: number): string {
  const words = text.slice(0, READ_CHARACTERS_MAX).normalize('NFC').match(PLAIN_WORD) ?? []
  let name = ''
  for (const word of words) {
    const next = `${name} ${OPERATOR_WORD.test(word) ? word.toLowerCase() : word}`.trim()
    if (next.length > charactersMax) break
    name = next
  }
  return name || [...(words[0] ?? '')].slice(0, charactersMax / 2).join('')
}

const PLAIN_WORD = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.'’&-]*[\p{L}\p{M}\p{N}])?/gu
const OPERATOR_WORD = /^(or|and|not)$/i
