import { describe, expect, test } from 'vitest'
import { NetworkList, toNetwork, unwrapIpv4 } from './ip-address.js'

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::ffff:a01:203', '10.1.2.3'],
  ['0:0:0:0:0:ffff:0a01:0203', '10.1.2.3'],
  ['::10.1.2.3', '10.1.2.3'],
  ['::ffff:0:10.1.2.3', '10.1.2.3'],
  ['64:ff9b::10.1.2.3', '10.1.2.3'],
  ['2002:a01:203::', '10.1.2.3'],
  ['2002:a01:203:ffff:1:2:3:4', '10.1.2.3'],
  ['::', '::'],
  ['::1', '::1'],
  ['::2', '0.0.0.2'],
  ['64:ff9b:1::10.1.2.3', '64:ff9b:1::10.1.2.3'],
  ['2606:4700::1111', '2606:4700::1111'],
  ['fe80::1%eth0', 'fe80::1'],
  ['no address', 'no address'],
])('%s stands for %s', (address, expected) => {
  expect(unwrapIpv4(address)).toBe(expected)
})

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2606:4700:0:1:2:3:4:5', '2606:4700:0:1::/64'],
  ['2606:4700:0:1::', '2606:4700:0:1::/64'],
  ['2606:4700:0:2::', '2606:4700:0:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, expected) => {
  expect(toNetwork(address)).toBe(expected)
})

describe('a list of networks', () => {
  const list = new NetworkList(['10.0.0.0/8', '192.0.2.7', '::/3', 'fd00::1'])

  test.each(['10.0.0.0', '10.255.255.255', '192.0.2.7', '::1', '1fff::', 'fd00::1'])('has %s', (address) =>
    expect(list.has(address)).toBe(true),
  )

  test.each(['11.0.0.0', '192.0.2.8', '2000::', 'fd00::2', '8.8.8.8', '', '10.0.0', 'a'])(
    'does not have "%s"',
    (address) => expect(list.has(address)).toBe(false),
  )

  test('can be empty', () => {
    expect(new NetworkList([]).has('10.0.0.1')).toBe(false)
  })
})
