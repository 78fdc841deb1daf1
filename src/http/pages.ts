import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { VERSION } from '../lib/version.js'
import { chooseEncoding, type Encoding } from './compression.js'

/** Where the build puts `web/`: beside the compiled code, which tests run from its sources. */
const BUILT_DIR = ['../web', '../../dist/src/web']
  .map((folder) => join(import.meta.dirname, folder))
  .find((folder) => existsSync(folder))

/** What the address bar may have; the page itself finds out the rest. */
const PAGE_PATHS = [
  '/markets/:slug',
  '/events/:slug',
  '/wallets/:wallet',
  '/leaderboard',
  '/crypto',
  '/sports',
  '/sports/games/:slug',
  '/account',
  '/account/*',
  '/status',
  '/sign-in',
]

/** Everything comes from the service itself, and nothing that is written into a page runs. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((kind) => `${kind} 'none'`),
].join('; ')

const ABOUT = {
  name: 'auspex',
  version: VERSION,
  description: 'Prediction-market data from your own machine.',
  docs: '/docs',
  openapi: '/openapi.json',
  websocket_docs: '/docs/websocket',
  asyncapi: '/asyncapi.json',
  mcp: '/mcp',
  llms: '/llms.txt',
  create_key: '/v1/keys',
  status: '/v1/status',
  ready: '/readyz',
}

/** Serves the pages of `web/`. At `GET /` programs get JSON that says what this is and where its documentation is. */
export function showPages(app: FastifyInstance): void {
  const files = readBuilt()
  const page = files.get('index.html')
  const schema = { hide: true }
  const sendPage = (request: FastifyRequest, reply: FastifyReply, built: BuiltFile) =>
    sendFile(
      request,
      reply.headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' }),
      built,
    )
  app.get('/', { schema }, (request, reply) => {
    const type = negotiate(request.headers.accept ?? '', ['application/json', 'text/html'])
    if (type === 'text/html' && page !== undefined) return sendPage(request, reply, page)
    return reply.header('vary', 'accept').send(ABOUT)
  })
  if (page === undefined) return
  for (const path of PAGE_PATHS) {
    app.get(path, { schema }, (request, reply) => sendPage(request, reply, page))
  }
  // Their names have a hash of what is in them.
  for (const [name, file] of files) {
    if (!name.startsWith('assets/')) continue
    app.get(`/${name}`, { schema }, (request, reply) =>
      sendFile(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
    )
  }
}

/** The build compresses what gains from it. */
type BuiltFile = { type: string; bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer } }

const SUFFIXES = { br: '.br', gzip: '.gz' } as const

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

function readBuilt(): Map<string, BuiltFile> {
  const folder = BUILT_DIR
  if (folder === undefined) return new Map()
  const read = (name: string) => readFileSync(join(folder, name))
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    names.flatMap((name): [string, BuiltFile][] => {
      const type = MEDIA_TYPES[extname(name)]
      if (type === undefined) return []
      const compressed = Object.entries(SUFFIXES).filter(([, suffix]) => names.includes(name + suffix))
      const bodies = Object.fromEntries(
        compressed.map(([encoding, suffix]) => [encoding, read(name + suffix)]),
      )
      return [[name, { type, bodies: { ...bodies, identity: read(name) } }]]
    }),
  )
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, bodies }: BuiltFile): FastifyReply {
  const wanted = chooseEncoding(request.headers['accept-encoding'])
  const encoding = bodies[wanted] === undefined ? 'identity' : wanted
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(type).header('vary', 'accept, accept-encoding').send(bodies[encoding])
}
