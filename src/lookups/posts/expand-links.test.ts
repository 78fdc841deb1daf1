import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expandLinks } from './expand-links.js'

const piece = fc.string({ unit: 'grapheme', maxLength: 12 })
const link = fc.record({
  url: fc.stringMatching(/^https:\/\/t\.co\/[A-Za-z0-9]{10}$/),
  expandedUrl: fc.webUrl({ withQueryParameters: true }),
})

/** A text with links between its pieces, and where they are, counted in code points. */
const linkedText = fc
  .tuple(piece, fc.uniqueArray(fc.tuple(link, piece), { maxLength: 5, selector: ([{ url }]) => url }))
  .map(([first, rest]) => {
    let text = first
    let expanded = first
    const links = rest.map(([{ url, expandedUrl }, after]) => {
      const start = [...text].length
      text += url + after
      expanded += expandedUrl + after
      return { start, end: start + url.length, url, expandedUrl }
    })
    return { text, expanded, links }
  })

test('every link becomes its target, whatever stands around it and in whatever order they come', () => {
  fc.assert(
    fc.property(linkedText, fc.boolean(), ({ text, expanded, links }, isReversed) => {
      const input = isReversed ? [...links].reverse() : links
      expect(expandLinks(text, input)).toBe(expanded)
    }),
  )
})

test('emoji before a link count once each', () => {
  const url = 'https://t.co/abcdefghij'
  const links = [{ start: 3, end: 3 + url.length, url, expandedUrl: 'https://example.org/$&' }]
  expect(expandLinks(`🔥👀 ${url} 🐋`, links)).toBe('🔥👀 https://example.org/$& 🐋')
})

test('a link whose offset is wrong is found by its text; one that is not there changes nothing', () => {
  const url = 'https://t.co/abcdefghij'
  const expandedUrl = 'https://example.org'
  const links = [{ start: 0, end: 5, url, expandedUrl }]
  expect(expandLinks(`a &amp; b ${url}`, links)).toBe('a &amp; b https://example.org')
  expect(expandLinks('nothing here', links)).toBe('nothing here')
})
