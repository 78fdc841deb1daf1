import { badRequest } from '../../core/errors.js'
import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import { readJsonObject } from '../../http/json-object.js'
import { showValue } from '../../lib/show-value.js'
import type { WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import { checkRequiredFilters, parseEventTypes, parseFilters } from '../parse-webhook.js'

export const DESCRIPTION_LENGTH_MAX = 500
export const SECRET_LENGTH_MIN = 16
export const SECRET_LENGTH_MAX = 128

export type NewWebhook = {
  url: string
  event_types: WebhookEventType[]
  filters?: WebhookFilters
  /** Absent: one is made. */
  secret?: string
  description?: string | null
}

/** Only the fields of the request. */
export type WebhookChanges = Partial<Omit<NewWebhook, 'secret'>> & { active?: boolean }

/** Throws a 400 that names the field. Where the URL leads to is checked later. */
export function readNewWebhook(body: unknown): NewWebhook {
  const fields = readJsonObject(body)
  const secret = readSecret(fields.secret)
  const url = readUrl(fields.url)
  const types = parseEventTypes(fields.event_types)
  const filters = parseFilters(fields.filters)
  const description = readDescription(fields.description)
  checkRequiredFilters(types, filters)
  return { url, event_types: types, filters, description, ...(secret !== undefined && { secret }) }
}

/** The same for the fields of an update. Whether they fit the others of the webhook is checked later. */
export function readWebhookChanges(body: unknown): WebhookChanges {
  const fields = readJsonObject(body)
  return {
    ...(fields.url !== undefined && { url: readUrl(fields.url) }),
    ...(fields.event_types !== undefined && { event_types: parseEventTypes(fields.event_types) }),
    ...(fields.filters !== undefined && { filters: parseFilters(fields.filters) }),
    ...(fields.active !== undefined && { active: readActive(fields.active) }),
    ...(fields.description !== undefined && { description: readDescription(fields.description) }),
  }
}

/** `since` in Unix seconds. */
export function readRecovery(body: unknown): { since: number } {
  const { since } = readJsonObject(body)
  const seconds = typeof since === 'string' ? parseTimeText(since) : since
  if (Number.isInteger(seconds) && Number(seconds) >= 0 && Number(seconds) < MILLISECONDS_MIN) {
    return { since: Number(seconds) }
  }
  const isMs = Number.isInteger(seconds) && Number(seconds) >= MILLISECONDS_MIN
  throw badRequest('invalid_since', {
    message: since === undefined ? 'since is missing.' : `since must be a time, not ${showValue(since)}.`,
    hint: isMs
      ? 'Give Unix seconds, not milliseconds.'
      : 'Give Unix seconds, or a text as 2026-11-16T09:30:00Z.',
  })
}

const TIME_TEXT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i

/** `undefined`: it is no time, or does not say of which zone. */
function parseTimeText(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const ms = TIME_TEXT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000)
}

function readUrl(url: unknown): string {
  if (typeof url === 'string') return url
  throw refuseUrl(url === undefined ? 'is missing' : 'must be text')
}

/** `problem`: the end of "url …". */
export const refuseUrl = (problem: string) =>
  badRequest('invalid_url', {
    message: `url ${problem}.`,
    hint: 'Give the https:// address of a server that the internet can reach. For a server on your own machine, use `auspex listen`.',
  })

/** Whether the database can hold it. */
const isStorable = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value) && !value.includes('\0')

/** `undefined`: the request has none. */
export function readSecret(secret: unknown): string | undefined {
  if (secret === undefined || secret === null) return undefined
  const length = isStorable(secret) ? secret.length : 0
  if (isStorable(secret) && length >= SECRET_LENGTH_MIN && length <= SECRET_LENGTH_MAX) return secret
  throw badRequest('invalid_secret', {
    message: `secret must be text of ${SECRET_LENGTH_MIN} to ${SECRET_LENGTH_MAX} characters.`,
    hint: 'Leave it out to have one made.',
  })
}

function readDescription(description: unknown): string | null {
  if (description === undefined || description === null) return null
  if (isStorable(description) && description.length <= DESCRIPTION_LENGTH_MAX) return description
  throw badRequest('invalid_description', {
    message: `description must be text of at most ${DESCRIPTION_LENGTH_MAX} characters.`,
  })
}

function readActive(active: unknown): boolean {
  if (typeof active === 'boolean') return active
  throw badRequest('invalid_active', {
    message: `active must be true or false, not ${showValue(active)}.`,
  })
}
