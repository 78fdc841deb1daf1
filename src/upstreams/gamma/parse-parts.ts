import {
  readBoolean,
  readFields,
  readId,
  readInteger,
  readNumber,
  readString,
  readTimeMs,
} from '../transport/read.js'
import type { GammaProfile, GammaSeriesHead, GammaSport, GammaTag, GammaTeam } from './messages.js'

export function parseSeriesHead(value: unknown, path: string): GammaSeriesHead {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    slug: fields.optional('slug', readString),
    ticker: fields.optional('ticker', readString),
    title: fields.optional('title', readString),
    subtitle: fields.optional('subtitle', readString),
    seriesType: fields.optional('seriesType', readString),
    recurrence: fields.optional('recurrence', readString),
    image: fields.optional('image', readString),
    icon: fields.optional('icon', readString),
    active: fields.optional('active', readBoolean),
    closed: fields.optional('closed', readBoolean),
    archived: fields.optional('archived', readBoolean),
    competitive: fields.optional('competitive', readNumber),
    volume: fields.optional('volume', readNumber),
    volume24hr: fields.optional('volume24hr', readNumber),
    liquidity: fields.optional('liquidity', readNumber),
    commentCount: fields.optional('commentCount', readInteger),
    startDateMs: fields.optional('startDate', readTimeMs),
    createdAtMs: fields.optional('createdAt', readTimeMs),
    updatedAtMs: fields.optional('updatedAt', readTimeMs),
    tags: fields.list('tags', parseTag),
  }
}

export function parseTag(value: unknown, path: string): GammaTag {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    label: fields.optional('label', readString),
    slug: fields.optional('slug', readString),
    forceShow: fields.optional('forceShow', readBoolean),
    isCarousel: fields.optional('isCarousel', readBoolean),
    activeEventsCount: fields.optional('activeEventsCount', readInteger),
    createdAtMs: fields.optional('createdAt', readTimeMs),
    updatedAtMs: fields.optional('updatedAt', readTimeMs),
  }
}

export function parseTeam(value: unknown, path: string): GammaTeam {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    name: fields.optional('name', readString),
    league: fields.optional('league', readString),
    record: fields.optional('record', readString),
    logo: fields.optional('logo', readString),
    abbreviation: fields.optional('abbreviation', readString),
    alias: fields.optional('alias', readString),
    color: fields.optional('color', readString),
    providerId: fields.optional('providerId', readId),
    ordering: fields.optional('ordering', readString),
  }
}

export function parseSport(value: unknown, path: string): GammaSport {
  const fields = readFields(value, path)
  return {
    id: fields.optional('id', readId),
    sport: fields.required('sport', readString),
    name: fields.optional('name', readString),
    image: fields.optional('image', readString),
    resolution: fields.optional('resolution', readString),
    ordering: fields.optional('ordering', readString),
    tagIds: fields.optional('tags', readString)?.split(',') ?? [],
    series: fields.optional('series', readId),
  }
}

export function parseProfile(value: unknown, path: string): GammaProfile {
  const fields = readFields(value, path)
  return {
    proxyWallet: fields.optional('proxyWallet', readString),
    name: fields.optional('name', readString),
    pseudonym: fields.optional('pseudonym', readString),
    bio: fields.optional('bio', readString),
    profileImage: fields.optional('profileImage', readString),
    displayUsernamePublic: fields.optional('displayUsernamePublic', readBoolean),
    xUsername: fields.optional('xUsername', readString),
    verifiedBadge: fields.optional('verifiedBadge', readBoolean),
    createdAtMs: fields.optional('createdAt', readTimeMs),
  }
}
