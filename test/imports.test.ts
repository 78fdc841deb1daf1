import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { expect, test } from 'vitest'

/**
 * The floors of `src/`, the lowest first. A file imports from its own folder and from lower floors; folders on one floor
 * do not import each other. Type imports count.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['core'],
  ['lib'],
  ['config', 'bus'],
  ['store', 'redis', 'upstreams'],
  ['jobs', 'ledger'],
  ['platform.ts'],
  ['accounts'],
  ['http'],
  ['sessions', 'lookups'],
  ['chain', 'catalogue', 'prices', 'books', 'scores'],
  ['events'],
  // Every folder that is not named here is a domain.
  ['domains'],
  ['stream', 'webhooks', 'audit'],
  ['mcp'],
  ['admin', 'archive', 'backup', 'citus', 'cli', 'compare', 'doctor'],
  ['app.ts'],
  ['service.ts'],
  ['main.ts'],
]
const DOMAIN_FLOOR = FLOORS.findIndex((folders) => folders.includes('domains'))

/** Where the code of a top folder may import from. Tests and their helpers may import everything. */
const TOP_FOLDERS: { readonly [folder: string]: readonly string[] } = {
  src: ['src'],
  client: ['client'],
  sim: ['sim'],
  demo: ['demo', 'src', 'sim'],
  bench: ['bench', 'demo', 'src', 'sim', 'test'],
}

/** Besides `routes.ts` of every domain. */
const FASTIFY_USERS = /^src\/(http\/|app\.ts$|service\.ts$)/

/** Path from the root of the repository -> text. */
type Sources = ReadonlyMap<string, string>

test('imports point down the floors, without a circle', () => {
  expect(findViolations(readSources())).toEqual([])
})

test('an exported name is declared once in src/', () => {
  expect(findRepeatedNames(readSources())).toEqual([])
})

test.each<[string, { [path: string]: string }, string]>([
  [
    'an import from a higher layer',
    { 'src/ledger/a.ts': "import { b } from '../chain/b.js'", 'src/chain/b.ts': '' },
    'src/ledger/a.ts -> src/chain/b.ts: points up',
  ],
  [
    'a type import from a higher layer',
    { 'src/core/a.ts': "import type { B } from '../lib/b.js'", 'src/lib/b.ts': '' },
    'src/core/a.ts -> src/lib/b.ts: points up',
  ],
  [
    'an import that takes several lines',
    { 'src/core/a.ts': "import {\n  b,\n} from '../lib/b.js'", 'src/lib/b.ts': '' },
    'src/core/a.ts -> src/lib/b.ts: points up',
  ],
  [
    'a dynamic import from a higher layer',
    { 'src/core/a.ts': "const b = await import('../lib/b.js')", 'src/lib/b.ts': '' },
    'src/core/a.ts -> src/lib/b.ts: points up',
  ],
  [
    'an import between folders of one layer',
    { 'src/upstreams/a.ts': "import { b } from '../store/b.js'", 'src/store/b.ts': '' },
    'src/upstreams/a.ts -> src/store/b.ts: points up',
  ],
  [
    'an import between two domains',
    { 'src/trades/a.ts': "import { b } from '../markets/b.js'", 'src/markets/b.ts': '' },
    'src/trades/a.ts -> src/markets/b.ts: points up',
  ],
  [
    'an import between two domains that nothing else names',
    { 'src/novel/a.ts': "import { b } from '../other/b.js'", 'src/other/b.ts': '' },
    'src/novel/a.ts -> src/other/b.ts: points up',
  ],
  [
    'the service importing the simulator',
    { 'src/core/a.ts': "import { b } from '../../sim/b.js'", 'sim/b.ts': '' },
    'src/core/a.ts -> sim/b.ts: src may import from src only',
  ],
  [
    'the simulator importing the service',
    { 'sim/b.ts': "import { a } from '../src/core/a.js'", 'src/core/a.ts': '' },
    'sim/b.ts -> src/core/a.ts: sim may import from sim only',
  ],
  [
    'Fastify outside of the routes of a domain',
    { 'src/trades/a.ts': "import type { FastifyRequest } from 'fastify'" },
    'src/trades/a.ts: imports fastify',
  ],
  [
    'a circle of type imports',
    {
      'sim/a.ts': "import type { B } from './b.js'",
      'sim/b.ts': "import type { C } from './c.js'",
      'sim/c.ts': "import type { A } from './a.js'",
    },
    'circle: sim/a.ts, sim/b.ts, sim/c.ts',
  ],
])('the check reports %s', (_what, files, violation) => {
  expect(findViolations(new Map(Object.entries(files)))).toEqual([violation])
})

test('the check passes imports that point down, and tests that import anything', () => {
  const files = {
    'src/chain/routes.ts': "import { a } from '../http/a.js'\nimport fastify from 'fastify'",
    'src/trades/a.ts': "import { b } from '../lookups/b.js'",
    'src/lookups/b.ts': '',
    'src/chain/a.ts': "import { b } from './write/b.js'\nimport { c } from '../core/c.js'",
    'src/chain/a.test.ts': "import { d } from '../../sim/d.js'",
    'src/main.ts': "import { a } from './chain/a.js'",
    'src/chain/write/b.ts': '',
    'src/http/a.ts': "import fastify from 'fastify'",
    'src/core/c.ts': '',
    'sim/d.ts': '',
  }
  expect(findViolations(new Map(Object.entries(files)))).toEqual([])
})

test('the check reports a name that two files export', () => {
  const files = {
    'src/a.ts': 'export function find() {}\nexport type Row = 1\nconst own = 1',
    'src/b.ts': 'export const find = 1\nconst own = 2',
    'src/b.test.ts': 'export type Row = 1',
  }
  expect(findRepeatedNames(new Map(Object.entries(files)))).toEqual(['find: src/a.ts, src/b.ts'])
})

function readSources(): Sources {
  const root = join(import.meta.dirname, '..')
  const paths = Object.keys(TOP_FOLDERS).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/^(node_modules|dist|src\/generated)\//.test(path))
      .map((path) => join(folder, path)),
  )
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

const isTest = (path: string): boolean => /\.test\.ts$|\/test-[^/]*$/.test(path)

function findViolations(sources: Sources): string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, findImports(path, text)]))
  const rules = [...imports].flatMap(([path, targets]) =>
    isTest(path) ? [] : targets.flatMap((target) => checkImport(path, target)),
  )
  return [...rules, ...findCircles(imports).map((files) => `circle: ${files.join(', ')}`)]
}

/** The files that a file imports, as paths from the root, and the packages, by name. */
function findImports(path: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom |^import |\bimport\()'([^']+)'/gm)].map(([, from = '']) =>
    from.startsWith('.') ? join(path, '..', from).replace(/\.js$/, '.ts') : from,
  )
}

function checkImport(path: string, target: string): string[] {
  const [top = '', folder] = path.split('/')
  const [targetTop = '', targetFolder] = target.split('/')
  if (/^@?fastify\b/.test(target)) {
    const mayImport = top !== 'src' || path.endsWith('/routes.ts') || FASTIFY_USERS.test(path)
    return mayImport ? [] : [`${path}: imports ${target}`]
  }
  if (!target.endsWith('.ts')) return []
  const tops = TOP_FOLDERS[top] ?? []
  if (!tops.includes(targetTop)) {
    return [`${path} -> ${target}: ${top} may import from ${tops.join(', ')} only`]
  }
  if (top !== 'src' || folder === targetFolder) return []
  return floorOf(target) < floorOf(path) ? [] : [`${path} -> ${target}: points up`]
}

function floorOf(path: string): number {
  const [, folder = ''] = path.split('/')
  const floor = FLOORS.findIndex((folders) => folders.includes(folder))
  return floor === -1 ? DOMAIN_FLOOR : floor
}

/** Groups of files that reach each other (strongly connected components, by Tarjan's algorithm). */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []

  const visit = (path: string): number => {
    const index = order.size
    order.set(path, index)
    open.push(path)
    let low = index
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? 0)
    }
    lowest.set(path, low)
    if (low === index) {
      const circle = open.splice(open.indexOf(path))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return low
  }
  for (const path of imports.keys()) if (!order.has(path)) visit(path)
  return circles
}

function findRepeatedNames(sources: Sources): string[] {
  const places = new Map<string, string[]>()
  for (const [path, text] of sources) {
    if (!path.startsWith('src/') || isTest(path)) continue
    const names = [...text.matchAll(DECLARATION)].map(([, name = '']) => name)
    for (const name of new Set(names)) places.set(name, [...(places.get(name) ?? []), path])
  }
  const repeated = [...places].filter(([, paths]) => paths.length > 1)
  return repeated.map(([name, paths]) => `${name}: ${paths.join(', ')}`).sort()
}

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm
