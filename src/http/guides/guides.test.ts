import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { findGuide, GUIDE_NAMES, renderGuide } from './guides.js'
import { searchGuides } from './search.js'

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
    const dead = links.filter(([, , page = name, anchor]) => {
      const sections = findGuide(page)?.sections ?? []
      return !sections.some((section) => section.anchor === anchor)
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
    expect((await t.app.inject('/docs/guides.css')).headers['content-type']).toBe('text/css; charset=utf-8')
    expect((await t.app.inject('/docs/guides.js')).headers['content-type']).toBe(
      'text/javascript; charset=utf-8',
    )
    expect((await t.app.inject('/docs/guides/..%2f..%2fpackage.json')).statusCode).toBe(404)
  })
})

describe('GET /docs/search', () => {
  test('finds sections that have all of the words, those with them in the heading first', async () => {
    const [first] = searchGuides('rolling restarts')
    expect(first).toMatchObject({ heading: 'Rolling restarts', guide: { name: 'scaling' } })
    for (const { heading, text, guide } of searchGuides('webhook signature')) {
      const all = `${guide.title} ${heading} ${text}`.toLowerCase()
      expect(all).toContain('webhook')
      expect(all).toContain('signature')
    }
    const { body } = await t.app.inject('/docs/search?q=rolling+restarts')
    expect(body).toContain('href="/docs/guides/scaling#rolling-restarts"')
  })

  test('shows what was asked as text, and refuses what is too long or comes twice', async () => {
    const { body } = await t.app.inject(`/docs/search?q=${encodeURIComponent('<script>alert(1)</script>')}`)
    expect(body).toContain('&lt;script&gt;')
    expect(body).not.toContain('<script>alert')
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
