import { createRedact } from './redact.js'

/** What the address of an upstream adds to every request. Keys of providers may be in any of it. */
export type HttpAddress = {
  origin: string
  /** Comes before the path of a request; does not end in a slash. */
  basePath: string
  /** `?a=1`, or nothing. */
  baseQuery: string
  headers: Record<string, string>
  /** Takes the keys out of what is shown to people. */
  redact: (text: string) => string
}

export function parseBaseUrl(address: string): HttpAddress {
  const url = new URL(address)
  return {
    origin: url.origin,
    basePath: url.pathname.replace(/\/$/, ''),
    baseQuery: url.search,
    headers: authorization(url),
    redact: createRedact(address),
  }
}

/** The name and the password, as browsers send them. */
function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}
