import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.js'

/** Where a service and a demo keep their data unless told otherwise. */
const DATA_DIRS = ['.auspex', '.auspex-demo']
const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The event socket, and the key that it takes. */
export type ServiceAddress = { url: URL; key: string }

type Given = { url?: string | undefined; key?: string | undefined; data?: string | undefined }

/** What the flags say, else what the demo of the data folder wrote down. */
export function findService({ url: givenUrl, key: givenKey, data }: Given): ServiceAddress {
  const dirs = data === undefined ? DATA_DIRS : [data]
  const demo = dirs.map(readDemo).find((found) => found !== undefined)
  const demoUrl = demo?.ws_url ?? demo?.url
  const url = toSocketUrl(givenUrl ?? demoUrl ?? DEFAULT_URL)
  // The key of the demo is not for other services.
  const isDemo = demoUrl !== undefined && toSocketUrl(demoUrl).host === url.host
  const key = givenKey ?? url.searchParams.get('key') ?? (isDemo ? demo?.keys?.growth : undefined)
  url.searchParams.delete('key')
  if (key !== undefined) return { url, key }
  throw new OperatorError(
    `No key is given, and no demo of ${url.origin} has run in ${dirs.join(' or ')}.\n` +
      'Give one with --key or AUSPEX_KEY; `auspex keys create` makes one.',
  )
}

/** Takes the address of the API as well as that of the socket. */
function toSocketUrl(text: string): URL {
  if (!URL.canParse(text) || !/^(http|ws)s?:\/\//i.test(text)) {
    throw new OperatorError(`--url ${text} is no address: it must begin with http:// or ws://.`, 2)
  }
  const url = new URL(text.replace(/^http/i, 'ws'))
  if (url.pathname === '/') url.pathname = '/ws'
  return url
}

/** The part of `<data>/demo.json` that is read. */
type Demo = { url?: string; ws_url?: string; keys?: { growth?: string } }

/** `undefined`: no demo has run in the folder. */
function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo
  } catch {
    return undefined
  }
}
