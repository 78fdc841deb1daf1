import { Type } from 'typebox'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import type { OnlineAnswer } from '../upstreams/searxng/online-search.js'
import type { SearxngResult } from '../upstreams/searxng/parse.js'

/** What a search without parameters asks for. */
export const SEARCH_DEFAULTS = {
  engines: ['bing', 'duckduckgo'],
  language: 'en-US',
  safeSearch: 0,
  ttlSeconds: 600,
}

export const OnlineResult = namedObject('OnlineResult', {
  title: Type.String(),
  url: Type.String(),
  domain: Type.String({ description: 'the host of the address, without www.' }),
  snippet: Type.String({ description: 'up to 2 KB; a longer one ends with `…`' }),
  engines: Type.Array(Type.String(), { description: 'the engines that found it' }),
  score: Type.Number({ minimum: 0, description: '1 for the first result of a single engine' }),
  category: Type.String(),
  published_at: nullable(Type.String({ format: 'date-time' }), 'null: the page does not say'),
})

export const onlineStatusOf = ({ unresponsive }: OnlineAnswer) =>
  unresponsive.length > 0 ? ('partial' as const) : ('ok' as const)

export const presentOnlineResult = ({ publishedMs, ...result }: SearxngResult) => ({
  ...result,
  published_at: publishedMs === undefined ? null : new Date(publishedMs).toISOString(),
})
