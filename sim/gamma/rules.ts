import { readList } from '../server/query.js'
import type { MarketEvent } from '../universe/market.js'
import type { Gamma } from './gamma.js'
import {
  parseDateParameter,
  parseFlagParameter,
  parseIdsParameter,
  parseNumberParameter,
} from './parameters.js'
import { invalid } from './refusal.js'

/** A condition that every item of a list meets. */
export type Rule<Item> = (item: Item) => boolean

export const meetsAll =
  <Item>(rules: readonly Rule<Item>[]) =>
  (item: Item): boolean =>
    rules.every((rule) => rule(item))

/** `<key>_min` and `<key>_max`, both inclusive. No rules when neither is asked for. */
export function rangeRules<Item>(
  query: URLSearchParams,
  key: string,
  read: (item: Item) => number,
  parse: typeof parseNumberParameter = parseNumberParameter,
): Rule<Item>[] {
  const min = parse(query, `${key}_min`)
  const max = parse(query, `${key}_max`)
  return [
    ...(min === undefined ? [] : [(item: Item) => read(item) >= min]),
    ...(max === undefined ? [] : [(item: Item) => read(item) <= max]),
  ]
}

/** Ranges of the dates that events and markets both have. */
export const dateRules = <Item extends { createdMs: number; endMs: number }>(
  query: URLSearchParams,
): Rule<Item>[] => [
  ...rangeRules<Item>(query, 'start_date', ({ createdMs }) => createdMs, parseDateParameter),
  ...rangeRules<Item>(query, 'end_date', ({ endMs }) => endMs, parseDateParameter),
]

/** One of the listed values, if any are listed. */
export function listRule<Item>(values: readonly string[], read: (item: Item) => string): Rule<Item>[] {
  if (values.length === 0) return []
  const wanted = new Set(values)
  return [(item) => wanted.has(read(item))]
}

/** For states that nothing here is in: asked for, they leave an empty list. */
export const neverRules = <Item>(query: URLSearchParams, keys: readonly string[]): Rule<Item>[] =>
  keys.flatMap((key) => (parseFlagParameter(query, key) === true ? [() => false] : []))

/** For keys whose values nothing here has. */
export const foreignRules = <Item>(query: URLSearchParams, keys: readonly string[]): Rule<Item>[] =>
  keys.flatMap((key) => (readList(query, key).length > 0 ? [() => false] : []))

const VERSIONS = ['v1', 'v2']

/** Of which contracts: all markets here are of the first ones, so `v2` leaves an empty list. */
export function versionRules<Item>(query: URLSearchParams): Rule<Item>[] {
  const asked = readList(query, 'version')
  if (!asked.every((version) => VERSIONS.includes(version))) throw invalid('version is invalid')
  return asked.length === 0 || asked.includes('v1') ? [] : [() => false]
}

export function tagRules(gamma: Gamma, query: URLSearchParams): Rule<MarketEvent>[] {
  const { tags } = gamma.universe.catalogue
  const wanted = parseIdsParameter(query, 'tag_id')
  const unwanted = new Set(parseIdsParameter(query, 'exclude_tag_id'))
  if (wanted.some((id) => unwanted.has(id))) {
    throw invalid('tag_id and exclude_tag_id must not overlap')
  }
  const bySlug = readList(query, 'tag_slug').map(
    (slug) => tags.find((tag) => tag.slug === slug)?.id ?? 'none',
  )
  const groups = [...groupIds(wanted, query.get('tag_match')), ...groupIds(bySlug, null)]
  const widen = parseFlagParameter(query, 'related_tags') === true
  return [
    ...groups.map((ids) => {
      const accepted = new Set(widen ? ids.flatMap((id) => withRelated(gamma, id)) : ids)
      return (event: MarketEvent) => event.tags.some(({ id }) => accepted.has(id))
    }),
    ...(unwanted.size === 0 ? [] : [(event: MarketEvent) => !event.tags.some(({ id }) => unwanted.has(id))]),
  ]
}

/** Of each group an event must have one: any of all, or each by itself. */
function groupIds(ids: string[], match: string | null): string[][] {
  if (match !== null && match !== 'any' && match !== 'all') throw invalid('tag_match is invalid')
  if (match === 'all') return ids.map((id) => [id])
  return ids.length === 0 ? [] : [ids]
}

function withRelated({ universe, relations }: Gamma, id: string): string[] {
  const tag = universe.catalogue.tags.find((known) => known.id === id)
  return tag === undefined ? [id] : [id, ...relations.relatedTo(tag).map((related) => related.id)]
}
