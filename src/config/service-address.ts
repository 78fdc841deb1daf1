import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { OperatorError } from '../core/errors.js'

/** Apart from the folder of a service. */
export const DEMO_DATA_DIR = '.auspex-demo'
/** The default data directories of a service and a demo. */
const DATA_DIRS = ['.auspex', DEMO_DATA_DIR]
const DEFAULT_URL = 'http://127.0.0.1:8080'

/** A service, by HTTP or WebSocket, and the key that it takes. */
export type ServiceAddress = { url: URL; key: string }

/** The flags of a command that asks a running service. */
export type ServiceFlags = {
  url?: string | undefined
  key?: string | undefined
  data?: string | undefined
}

/** Gives a command these flags. */
export const addServiceFlags = (command: Command): Command =>
  command
    .option('--url <url>', `address of the service; default: the demo, else ${DEFAULT_URL}`)
    .addOption(
      new Option('--key <key>', 'API key; default: one of the demo in the data folder').env('AUSPEX_KEY'),
    )
    .addOption(
      new Option('--data <folder>', `data folder of the demo; default: ${DATA_DIRS.join(' or ')}`).env(
        'AUSPEX_DATA',
      ),
    )

/** What the flags say, else what the demo of the data folder wrote down. The key is not in the address. */
export function findService({ url: givenUrl, key: givenKey, data }: ServiceFlags): ServiceAddress {
  const dirs = data === undefined ? DATA_DIRS : [data]
  const demo = dirs.map(readDemo).find((found) => found !== undefined)
  const url = parseServiceUrl(givenUrl ?? demo?.url ?? DEFAULT_URL)
  // The key of the demo is not for other services.
  const isDemo = demo?.url !== undefined && parseServiceUrl(demo.url).host === url.host
  const key = givenKey ?? url.searchParams.get('key') ?? (isDemo ? demo?.keys?.growth : undefined)
  url.searchParams.delete('key')
  if (key !== undefined) return { url, key }
  throw new OperatorError(
    `No key is given, and no demo of ${url.origin} has run in ${dirs.join(' or ')}.\n` +
      'Give one with --key or AUSPEX_KEY; `auspex keys create` makes one.',
  )
}

function parseServiceUrl(text: string): URL {
  if (URL.canParse(text) && /^(http|ws)s?:\/\//i.test(text)) return new URL(text)
  throw new OperatorError(`--url ${text} is no address: it must begin with http:// or ws://.`, 2)
}

/** The part of `<data>/demo.json` that is read. */
type Demo = { url?: string; keys?: { growth?: string } }

/** `undefined`: no demo has run in the folder. */
function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo
  } catch {
    return undefined
  }
}
