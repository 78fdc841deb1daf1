import assert from 'node:assert/strict'

/** What the address of an upstream adds to every request. Any part of it may hold a provider's key. */
export type BaseUrl = {
  origin: string
  /** Comes before the path of a request; does not end in a slash. */
  basePath: string
  /** `?a=1`, or empty. */
  baseQuery: string
  headers: Record<string, string>
  /** Takes the keys out of a text before it is logged or shown. */
  redact: (text: string) => string
}

export function parseBaseUrl(address: string): BaseUrl {
  const url = new URL(address)
  return {
    origin: url.origin,
    basePath: url.pathname.replace(/\/$/, ''),
    baseQuery: url.search,
    headers: authorization(url),
    redact: createRedact(address),
  }
}

/** Name and password of the address, as browsers send them. */
function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

const SECRET_CHARACTERS_MIN = 8

/**
 * Replaces the keys of an address by asterisks. A host may repeat them when it refuses a request:
 * many answer a wrong path with `Cannot POST /v2/<key>`.
 */
export function createRedact(address: string): (text: string) => string {
  const secrets = secretsOf(address).filter(({ length }) => length >= SECRET_CHARACTERS_MIN)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '********'), text)
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [address]
  const { pathname, searchParams, username, password } = new URL(address)
  return [...pathname.split('/'), ...searchParams.values(), username, password]
}

type Value = string | number | boolean

/** A list repeats its key; `undefined` is left out. */
export type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>

/** `?a=1&b=2&b=3`, or empty. Throws on an empty list: without the key the upstream would return everything. */
export function toQueryString(query: Query): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue
    const values = typeof value === 'object' ? value : [value]
    assert(values.length > 0, `the list ${key} is empty`)
    for (const item of values) params.append(key, String(item))
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The target with a further query, given as `?a=1` or empty. */
export function addQuery(target: string, query: string): string {
  return target.includes('?') ? target + query.replace('?', '&') : target + query
}
