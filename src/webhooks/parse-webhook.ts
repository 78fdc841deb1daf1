import { type ApiError, badRequest } from '../core/errors.js'
import { nearest } from '../lib/edit-distance.js'
import { showValue } from '../lib/show-value.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from './event-types.js'
import { FILTER_NAMES, FILTER_RULES, type FilterName, type ItemRule, type WebhookFilters } from './filters.js'

/** What a filter that is a number may also be written as. */
const DECIMAL_TEXT = /^[0-9]{1,15}(\.[0-9]{1,18})?$/

/** This many names are read, known or not: a caller's list is bounded before it is read. */
const EVENT_TYPES_MAX = 100
/** Of an unknown name that is compared with the known ones. */
const GUESSED_LENGTH_MAX = 40

/** The event types of a webhook, each once. Throws a 400 with what is wrong. */
export function parseEventTypes(value: unknown): WebhookEventType[] {
  const refuse = (message: string, hint?: string) =>
    badRequest('invalid_event_types', {
      message,
      ...(hint !== undefined && { hint }),
      allowed: WEBHOOK_EVENT_TYPE_NAMES,
    })
  if (!Array.isArray(value) || value.length === 0 || value.length > EVENT_TYPES_MAX) {
    throw refuse('event_types must be a list of at least one name of an event type.')
  }
  const unknown = value.find((name) => !isEventType(name))
  if (unknown !== undefined) {
    const message = `event_types has ${showValue(unknown)}, which is no event type.`
    throw refuse(message, guessName(unknown, WEBHOOK_EVENT_TYPE_NAMES))
  }
  return [...new Set(value.filter(isEventType))]
}

const isEventType = (value: unknown): value is WebhookEventType =>
  WEBHOOK_EVENT_TYPE_NAMES.some((name) => name === value)

/**
 * The filters of a webhook in the spelling that is stored and matched: see `WebhookFilters`. A filter that
 * is null counts as left out. Throws a 400 that names the first one that is wrong, and what it may be.
 */
export function parseFilters(value: unknown): WebhookFilters {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest('invalid_filters', { message: 'filters must be an object.' })
  }
  const parsed: Record<string, unknown> = {}
  for (const [name, filter] of Object.entries(value)) {
    if (!isFilterName(name)) throw refuseUnknown(name)
    if (filter !== null) parsed[name] = parseFilter(name, filter)
  }
  return parsed as WebhookFilters
}

const isFilterName = (name: string): name is FilterName => FILTER_NAMES.some((known) => known === name)

function refuseUnknown(name: string): ApiError {
  const guess = guessName(name, FILTER_NAMES)
  const list = 'GET /v3/webhooks/event-types lists the filters of each event type.'
  return badRequest('invalid_filters', {
    message: `filters has ${showValue(name)}, which is no filter.`,
    hint: guess === undefined ? list : `${guess} ${list}`,
    allowed: FILTER_NAMES,
  })
}

/** Asks whether a known name was meant, one that is close to it or begins with it. */
function guessName(name: unknown, known: readonly string[]): string | undefined {
  if (typeof name !== 'string' || name === '' || name.length > GUESSED_LENGTH_MAX) return undefined
  const singular = `${name.replace(/s$/, '')}_`
  const meant = nearest(name, known) ?? known.find((candidate) => candidate.startsWith(singular))
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}

function parseFilter(name: FilterName, value: unknown): unknown {
  const rule = FILTER_RULES[name]
  const shown = showValue(value)
  switch (rule.kind) {
    case 'list':
      return parseList(name, value, rule.itemsMax, rule.item)
    case 'number':
    case 'integer': {
      const number = readNumber(value)
      const isKind = rule.kind === 'number' || Number.isInteger(number)
      if (isKind && number >= 0 && number <= rule.max) return number
      const what = rule.kind === 'number' ? 'a number' : 'an integer'
      throw refuse(name, `must be ${what} from 0 to ${rule.max}, not ${shown}`, rule.meaning)
    }
    case 'choice': {
      const text = typeof value === 'string' ? value.toLowerCase() : ''
      const found = rule.values.find((known) => known.toLowerCase() === text)
      if (found !== undefined) return found
      throw refuse(name, `must be one of ${rule.values.join(', ')}, not ${shown}`, rule.meaning)
    }
  }
}

/** Clients with a decimal type send numbers as text. NaN: it is no number. */
function readNumber(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && DECIMAL_TEXT.test(value) ? Number(value) : Number.NaN
}

function parseList(name: FilterName, value: unknown, itemsMax: number, item: ItemRule): string[] {
  if (!Array.isArray(value)) throw refuse(name, `must be a list of at most ${itemsMax} values`)
  if (value.length > itemsMax) {
    throw refuse(name, `has ${value.length} values, and may have at most ${itemsMax}`)
  }
  const pattern = new RegExp(item.pattern, 'u')
  const items = value.map((entry) => {
    const isRead = typeof entry === 'string' && entry.length <= item.lengthMax
    const text = isRead && pattern.test(entry) ? item.read(entry) : undefined
    if (text !== undefined) return text
    throw refuse(name, `has ${showValue(entry)}, which is not valid`, `each value must be ${item.meaning}`)
  })
  return [...new Set(items)]
}

function refuse(name: FilterName, problem: string, meaning?: string): ApiError {
  const rule = FILTER_RULES[name]
  const most = rule.kind === 'list' ? `at most ${rule.itemsMax} values` : undefined
  const hint = [meaning, most].filter((part) => part !== undefined).join('; ')
  return badRequest('invalid_filters', {
    message: `The filter ${name} ${problem}.`,
    hint: `${name}: ${hint}`,
  })
}

/** Throws a 400 when an event type lacks a filter without which it would fire for everything. */
export function checkRequiredFilters(types: readonly WebhookEventType[], filters: WebhookFilters): void {
  for (const type of types) {
    const filter = eventTypeRow(type).required?.find((name) => isOpen(filters[name]))
    if (filter === undefined) continue
    throw badRequest('missing_required_filter', {
      message: `The event type ${type} needs the filter ${filter}.`,
      hint: `Give filters.${filter}, or leave ${type} out of event_types.`,
      event_type: type,
      filter,
    })
  }
}

/** Whether a filter lets everything pass. */
const isOpen = (value: WebhookFilters[FilterName]): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)
