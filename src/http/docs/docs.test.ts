import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { DOCS_NAVIGATION } from './frame.js'
import { findGuide, GUIDE_NAMES, renderGuide } from './guides.js'

const ROOT = join(import.meta.dirname, '../../..')

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
})
afterAll(() => t.close())

test('the navigation has every page of docs/, and no other', () => {
  const files = readdirSync(join(ROOT, 'docs')).map((file) => file.replace(/\.md$/, ''))
  expect([...GUIDE_NAMES].sort()).toEqual(files.sort())
})

describe('GET /docs/guides', () => {
  test.each(GUIDE_NAMES)('/docs/guides/%s is a page whose links lead somewhere', async (name) => {
    const { statusCode, headers, body } = await t.app.inject(`/docs/guides/${name}`)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(body).toContain(`<a href="/docs/guides/${name}" aria-current="page">`)
    const links = [...body.matchAll(/href="(\/docs\/guides\/([\w-]+))?#([^"]+)"/g)]
    const dead = links.filter(([, link, page = '', anchor = '']) => {
      if (link === undefined) return !body.includes(`id="${anchor}"`)
      return findGuide(page)?.sections.every((section) => section.anchor !== anchor) ?? true
    })
    expect(dead.map(([link]) => link)).toEqual([])
    const unknown = [...body.matchAll(/href="\/docs\/guides\/([\w-]+)"/g)].filter(
      ([, page = '']) => !GUIDE_NAMES.includes(page),
    )
    expect(unknown).toEqual([])
  })

  test('is a list of all pages, and a name that is none says which there are', async () => {
    const { statusCode, body } = await t.app.inject('/docs/guides')
    expect(statusCode).toBe(200)
    for (const name of GUIDE_NAMES) expect(body).toContain(`href="/docs/guides/${name}"`)
    const missing = await t.app.inject('/docs/guides/nothing')
    expect(missing.statusCode).toBe(404)
    expect(missing.json()).toMatchObject({ pages: expect.arrayContaining(['api']) })
  })

  test('its style and its script are served, and so is no other file', async () => {
    expect((await t.app.inject('/docs/look.css')).headers['content-type']).toBe('text/css; charset=utf-8')
    expect((await t.app.inject('/docs/look.js')).headers['content-type']).toBe(
      'text/javascript; charset=utf-8',
    )
    expect((await t.app.inject('/docs/guides/..%2f..%2fpackage.json')).statusCode).toBe(404)
  })
})

describe('every page of the documentation', () => {
  const PAGES = [
    '/docs',
    '/docs/',
    '/docs/websocket',
    '/docs/guides',
    '/docs/guides/api',
    '/docs/search?q=trades',
  ]

  test.each(PAGES)('%s has the same bar, navigation, search and colours', async (path) => {
    const { statusCode, headers, body } = await t.app.inject(path)
    expect([statusCode, headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
    for (const { links } of DOCS_NAVIGATION) {
      for (const link of links) expect(body).toContain(`href="${link.path}"`)
    }
    expect(body).toContain('<form action="/docs/search" role="search">')
    expect(body).toContain('<link rel="stylesheet" href="/docs/look.css">')
    expect(body).toContain('<script src="/docs/look.js"></script>')
    expect(body.match(/<html|<main|<body/g)).toEqual(['<html', '<body', '<main'])
    expect(headers['content-security-policy']).not.toMatch(/https?:/)
  })

  test.each(DOCS_NAVIGATION.flatMap(({ links }) => links.map(({ path }) => path)))(
    '%s is marked in the navigation',
    async (path) => {
      const { body } = await t.app.inject(path)
      expect(body.split('id="navigation"')[1]).toContain(`<a href="${path}" aria-current="page">`)
    },
  )
})

describe('GET /docs/search', () => {
  const find = async (query: string) => {
    const { body } = await t.app.inject(`/docs/search?q=${encodeURIComponent(query)}`)
    return [...body.matchAll(/<li>\n {2}<a href="([^"]+)">/g)].map(([, href]) => href)
  }

  test('finds sections of guides that have all of the words, those with them in the heading first', async () => {
    expect((await find('rolling restarts'))[0]).toBe('/docs/guides/scaling#rolling-restarts')
    const { body } = await t.app.inject('/docs/search?q=webhook+signature')
    const items = body.split('<li>\n').slice(1)
    expect(items.length).toBeGreaterThan(2)
    expect(items.filter((item) => /<mark>/i.test(item)).length).toBeGreaterThan(2)
  })

  test('finds operations of the REST reference and messages of the streams', async () => {
    expect(await find('/v3/wallets/{address}/positions')).toContain('/docs#/positions/listWalletPositions')
    expect(await find('listLeaderboard')).toContain('/docs#/leaderboards/listLeaderboard')
    expect(await find('status_update')).toContain('/docs/websocket#status_update')
  })

  test('every find leads somewhere', async () => {
    const hrefs = new Set((await Promise.all(['trade', 'wallet', 'key', 'price'].map(find))).flat())
    expect(hrefs.size).toBeGreaterThan(60)
    const { paths } = (await t.app.inject('/openapi.json')).json()
    const operations = new Set(
      Object.values<Record<string, { tags: string[]; operationId: string }>>(paths)
        .flatMap((methods) => Object.values(methods))
        .map(({ tags, operationId }) => `#/${tags[0]}/${operationId}`),
    )
    for (const href of hrefs) {
      const { pathname, hash } = new URL(href ?? '', 'http://here')
      const { statusCode, body } = await t.app.inject(pathname)
      expect([href, statusCode]).toEqual([href, 200])
      if (pathname === '/docs') expect([href, operations.has(hash)]).toEqual([href, true])
      else expect(body).toContain(`id="${hash.slice(1)}"`)
    }
  })

  test('shows what was asked as text, and refuses what is too long or comes twice', async () => {
    const { body } = await t.app.inject(`/docs/search?q=${encodeURIComponent('<script>alert(1)</script>')}`)
    expect(body).toContain('&lt;script&gt;')
    expect(body).not.toContain('<script>alert')
    for (const query of ['(', '[a', '\\', '.*', 'trade (x)', '\u{1f600}', '  '])
      expect((await t.app.inject(`/docs/search?q=${encodeURIComponent(query)}`)).statusCode).toBe(200)
    expect((await t.app.inject('/docs/search')).statusCode).toBe(200)
    for (const query of [`q=${'x'.repeat(101)}`, 'q=a&q=b']) {
      const reply = await t.app.inject(`/docs/search?${query}`)
      expect([reply.statusCode, reply.json().field]).toEqual([400, 'q'])
    }
  })
})

test('Markdown becomes a page: anchors as on GitHub, tables that scroll, links to files that are not shown as text', () => {
  const { html, contents } = renderGuide(
    'x',
    'X',
    '# X\n\n## A & b\n\n## A & b\n\n[in](api.md#keys) [out](../client/README.md)\n\n| a |\n| - |\n| 1 |\n\n```sh\n# no heading\n```\n',
  )
  expect(contents.map(({ anchor }) => anchor)).toEqual(['a--b', 'a--b-1'])
  expect(html).toContain('<a href="/docs/guides/api#keys">in</a> out')
  expect(html).toContain('<div class="wide"><table>')
})

/** Programs of the guides are parts of those in `examples/`, which tests run. */
test.each(['first-bot', 'first-dashboard'])('the programs of %s are those of examples/', (name) => {
  const page = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8')
  const blocks = [...page.matchAll(/`(examples\/[\w-]+\.ts)`(?:(?!`examples)[\s\S])*?```ts\n([\s\S]*?)```/g)]
  expect(blocks.length).toBeGreaterThan(0)
  for (const [, file = '', code = ''] of blocks) {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(code)
  }
  const named = [...page.matchAll(/examples\/[\w-]+\.(?:ts|py|txt)/g)].map(([file]) => file)
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
