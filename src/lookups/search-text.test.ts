import { expect, test } from 'vitest'
import { joinSearchTexts, toSearchText, wordsOf } from './search-text.js'

test.each([
  ['Will it RAIN?', '|will |it |rain?'],
  ['São-Paulo $5', '|sao-|paulo $|5'],
  ['  U.S.\tand\n“Trump’s” – 3.5% ', `|u.|s. |and "|trump'|s" - |3.|5%`],
  ['Нефть 日本', '|нефть |日本'],
  ['a|b', '|a||b'],
  ['', ''],
])('%j is searched as %j', (text, searched) => {
  expect(toSearchText(text)).toBe(searched)
})

test('a word that is searched is literally in the text that has it', () => {
  const text = joinSearchTexts(['Over $100k by Dec. 31st (ET)?', 'over-100k', null])
  for (const word of ['$100k', 'dec.', '(et)?', 'over-100k', '31st']) {
    expect(text).toContain(toSearchText(word))
  }
})

test('words for corrections have four letters at least, and no digits', () => {
  expect(wordsOf(toSearchText('Will BTC-updown hit $100k by Dec 31st, 4ever?'))).toEqual(['will', 'updown'])
})
