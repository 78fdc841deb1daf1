import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { SearchText } from '../../http/parameters.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { findResults, RESULT_KINDS } from './find.js'

/** Clients search with each letter that is typed, so the same beginnings are requested again and again. */
const CACHE_MS = 10_000

const Result = namedObject('SearchResult', {
  kind: namedEnum('SearchResultKind', RESULT_KINDS),
  id: Type.String({
    description:
      'of a market or condition its condition id, of an event its number, of a game or tag its slug, of a wallet or user the address, of a token its id',
  }),
  title: Type.String(),
  subtitle: nullable(
    Type.String(),
    'of a market its event, of an event or tag the number of markets, of a game when it starts, of a wallet its username, of a token its outcome',
  ),
  url_path: Type.String({ description: 'the page of this service that shows it' }),
  image: nullable(Type.String()),
  is_closed: nullable(Type.Boolean(), 'null: it is nothing that closes'),
})

const search = defineAnswer({
  path: '/v3/search',
  operationId: 'searchEverything',
  summary: 'Search of everything, while a person types',
  description: `Markets, events, games and tags with all words of \`q\` at beginnings of words; wallets by an address or its first
six hex digits and more, with \`0x\`; users by a name that this service has resolved, alone with \`@\`; tokens and conditions by
their ids. What is exactly \`q\` comes first, then names that begin with it, then what is open by volume, then what is closed.
Without any, words are searched inside of words, and misspelt ones are corrected. Nothing but what is stored here is asked. An
answer is repeated for 10 seconds.`,
  tag: 'markets',
  access: V3,
  narrowBy: ['more letters in q'],
  cacheMs: CACHE_MS,
  query: Type.Object({
    q: SearchText,
    limit: Type.Integer({ minimum: 1, maximum: 20, default: 10 }),
  }),
  reply: namedObject('SearchResults', {
    query: Type.String(),
    count: Type.Integer({ minimum: 0 }),
    results: Type.Array(Result),
  }),
  answer: async ({ sql }, { q, limit }) => {
    const results = (await findResults(sql, q, limit)).map(({ urlPath, isClosed, ...result }) => ({
      ...result,
      url_path: urlPath,
      is_closed: isClosed,
    }))
    return { query: q, count: results.length, results }
  },
})

export const quickSearchRoutes = endpointRoutes([search])
