import type { Tag } from '../universe/market.js'
import type { Gamma } from './gamma.js'
import { offsetPage } from './paging.js'
import { parseFlagParameter } from './parameters.js'
import { isCarousel, presentTag } from './present-tag.js'
import { invalid, notFound } from './refusal.js'
import type { TagStatus } from './tag-relations.js'

const LIMIT_MAX = 100

export function listTags({ universe, relations }: Gamma, query: URLSearchParams): object[] {
  const carousel = parseFlagParameter(query, 'is_carousel')
  const tags = universe.catalogue.tags.filter((tag) => carousel === undefined || isCarousel(tag) === carousel)
  const counts = relations.countEvents('active')
  return offsetPage(tags, query, LIMIT_MAX).map((tag) => presentCounted(tag, counts))
}

export function showTag(gamma: Gamma, by: 'id' | 'slug', value: string): object {
  return presentCounted(requireTag(gamma, by, value), gamma.relations.countEvents('active'))
}

export function listRelations(
  gamma: Gamma,
  query: URLSearchParams,
  by: 'id' | 'slug',
  value: string,
): object[] {
  const tag = requireTag(gamma, by, value)
  return relatedTags(gamma, query, tag).map((other, index) => ({
    id: `${tag.id}${other.id}`,
    tagID: Number(tag.id),
    relatedTagID: Number(other.id),
    rank: index + 1,
  }))
}

export function listRelatedTags(
  gamma: Gamma,
  query: URLSearchParams,
  by: 'id' | 'slug',
  value: string,
): object[] {
  const counts = gamma.relations.countEvents('active')
  const tags = relatedTags(gamma, query, requireTag(gamma, by, value))
  return tags.map((tag) => presentCounted(tag, counts))
}

function requireTag({ universe }: Gamma, by: 'id' | 'slug', value: string): Tag {
  const tag = universe.catalogue.tags.find((known) => known[by] === value)
  if (tag === undefined) throw notFound('tag not found')
  return tag
}

/** `omit_empty` leaves out tags without events of the asked status. */
function relatedTags({ relations }: Gamma, query: URLSearchParams, tag: Tag): Tag[] {
  const tags = relations.relatedTo(tag)
  const status = query.get('status') || 'all'
  if (!isStatus(status)) throw invalid('status is invalid')
  if (parseFlagParameter(query, 'omit_empty') !== true) return tags
  const counts = relations.countEvents(status)
  return tags.filter(({ id }) => counts.has(id))
}

const isStatus = (text: string): text is TagStatus => ['active', 'closed', 'all'].includes(text)

const presentCounted = (tag: Tag, counts: ReadonlyMap<string, number>) => ({
  ...presentTag(tag),
  activeEventsCount: counts.get(tag.id) ?? 0,
})
