import { expect, test } from 'vitest'
import { parseClientMessage } from './client-message.js'

test('reads the first subscribe with its defaults', () => {
  expect(parseClientMessage('{"assets_ids":["1","2"],"type":"market"}')).toEqual({
    kind: 'subscribe',
    assetIds: ['1', '2'],
    custom: undefined,
    level: undefined,
    dump: true,
  })
})

test('reads every setting', () => {
  const text =
    '{"assets_ids":["1"],"operation":"subscribe","custom_feature_enabled":true,"level":1,"initial_dump":false}'
  expect(parseClientMessage(text)).toEqual({
    kind: 'subscribe',
    assetIds: ['1'],
    custom: true,
    level: 1,
    dump: false,
  })
})

test('reads an unsubscribe and a ping', () => {
  expect(parseClientMessage('{"assets_ids":["1"],"operation":"unsubscribe"}')).toEqual({
    kind: 'unsubscribe',
    assetIds: ['1'],
  })
  expect(parseClientMessage('PING')).toEqual({ kind: 'ping' })
})

test.each([
  ['', 'nothing'],
  ['{"assets_ids":', 'half a frame'],
  ['null', 'null'],
  ['["1"]', 'a list'],
  ['{"assets_ids":[1],"type":"market"}', 'ids that are no texts'],
  ['{"type":"market"}', 'no ids'],
  ['{"assets_ids":["1"],"type":"user"}', 'another channel'],
  ['{"assets_ids":["1"],"operation":"dance"}', 'an unknown operation'],
])('passes over %s (%s)', (text) => {
  expect(parseClientMessage(text)).toBeUndefined()
})
