import { databaseTime, isoTime } from '../markets/amounts.js'
import type { Tag } from '../universe/market.js'

/** Tags are older than anything that is tagged with them. */
const TAGGED_SINCE_MS = Date.UTC(2023, 10, 2, 21, 10, 20)
const EDITOR_ID = 15
/** Shown in the row of topics on the front page. */
const CAROUSEL = ['politics', 'crypto', 'economy', 'tech', 'culture', 'world']

export const isCarousel = ({ slug }: Tag): boolean => CAROUSEL.includes(slug)

export const presentTag = (tag: Tag) => ({
  id: tag.id,
  label: tag.label,
  slug: tag.slug,
  forceShow: false,
  forceHide: false,
  isCarousel: isCarousel(tag),
  requiresTranslation: false,
  publishedAt: databaseTime(TAGGED_SINCE_MS),
  createdBy: EDITOR_ID,
  updatedBy: EDITOR_ID,
  createdAt: isoTime(TAGGED_SINCE_MS),
  updatedAt: isoTime(TAGGED_SINCE_MS),
})
