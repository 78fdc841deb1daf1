import {
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseNumber,
  parseString,
  parseTimeMs,
} from '../transport/parse-json.js'
import type { GammaProfile, GammaSeriesHead, GammaSport, GammaTag, GammaTeam } from './messages.js'

export function parseSeriesHead(value: unknown, path: string): GammaSeriesHead {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    slug: fields.optional('slug', parseString),
    ticker: fields.optional('ticker', parseString),
    title: fields.optional('title', parseString),
    subtitle: fields.optional('subtitle', parseString),
    seriesType: fields.optional('seriesType', parseString),
    recurrence: fields.optional('recurrence', parseString),
    image: fields.optional('image', parseString),
    icon: fields.optional('icon', parseString),
    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    competitive: fields.optional('competitive', parseNumber),
    volume: fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    liquidity: fields.optional('liquidity', parseNumber),
    commentCount: fields.optional('commentCount', parseInteger),
    startDateMs: fields.optional('startDate', parseTimeMs),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
    tags: fields.list('tags', parseTag),
  }
}

export function parseTag(value: unknown, path: string): GammaTag {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    label: fields.optional('label', parseString),
    slug: fields.optional('slug', parseString),
    forceShow: fields.optional('forceShow', parseBoolean),
    isCarousel: fields.optional('isCarousel', parseBoolean),
    activeEventsCount: fields.optional('activeEventsCount', parseInteger),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
  }
}

export function parseTeam(value: unknown, path: string): GammaTeam {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    name: fields.optional('name', parseString),
    league: fields.optional('league', parseString),
    record: fields.optional('record', parseString),
    logo: fields.optional('logo', parseString),
    abbreviation: fields.optional('abbreviation', parseString),
    alias: fields.optional('alias', parseString),
    color: fields.optional('color', parseString),
    providerId: fields.optional('providerId', parseId),
    ordering: fields.optional('ordering', parseString),
  }
}

export function parseSport(value: unknown, path: string): GammaSport {
  const fields = parseFields(value, path)
  return {
    id: fields.optional('id', parseId),
    sport: fields.required('sport', parseString),
    name: fields.optional('name', parseString),
    image: fields.optional('image', parseString),
    resolution: fields.optional('resolution', parseString),
    ordering: fields.optional('ordering', parseString),
    tagIds: fields.optional('tags', parseString)?.split(',') ?? [],
    series: fields.optional('series', parseId),
  }
}

export function parseProfile(value: unknown, path: string): GammaProfile {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.optional('proxyWallet', parseString),
    name: fields.optional('name', parseString),
    pseudonym: fields.optional('pseudonym', parseString),
    bio: fields.optional('bio', parseString),
    profileImage: fields.optional('profileImage', parseString),
    displayUsernamePublic: fields.optional('displayUsernamePublic', parseBoolean),
    xUsername: fields.optional('xUsername', parseString),
    verifiedBadge: fields.optional('verifiedBadge', parseBoolean),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
  }
}
