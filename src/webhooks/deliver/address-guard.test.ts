import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressGuard, checkWebhookUrl, parseTarget } from './address-guard.js'

const PUBLIC = '93.184.216.34'
const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses
const check = (url: string, networks: string[] = [], ...addresses: string[]) =>
  checkWebhookUrl(url, networks, resolveTo(...(addresses.length > 0 ? addresses : [PUBLIC])))

describe('URLs that reach the public internet are fine', () => {
  test.each([
    'https://hooks.example.com',
    'https://hooks.example.com/a/b?c=d&e=%20',
    'HTTPS://Hooks.Example.COM/',
    'https://hooks.example.com:8443/x',
    'https://hooks.example.com:443/x',
    'https://bücher.example.com/',
    'https://xn--bcher-kva.example.com/',
    `https://${PUBLIC}/`,
    'https://8.8.8.8:9443/',
    'https://[2606:4700:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    `https://hooks.example.com/${'a'.repeat(2_000)}`,
  ])('%s', async (url) => {
    expect(await check(url)).toBeUndefined()
  })
})

// Every URL is tried as an attacker would: the name resolves to a public address, unless one is given.
describe('URLs that try to reach inside, or to confuse, are refused', () => {
  test.each<[url: string, address?: string]>([
    // Not HTTPS.
    ['http://hooks.example.com/'],
    ['ftp://hooks.example.com/'],
    ['file:///etc/passwd'],
    ['gopher://hooks.example.com/'],
    ['ws://hooks.example.com/'],
    ['javascript:alert(1)'],
    ['data:text/plain,hello'],
    ['//hooks.example.com/'],
    ['hooks.example.com'],
    ['https:hooks.example.com'],
    ['https:/hooks.example.com'],
    ['https:///hooks.example.com'],
    ['https://'],
    ['https:///'],
    ['https://?x'],
    [''],
    // Addresses of the machine and of networks around it.
    ['https://127.0.0.1/'],
    ['https://127.1/'],
    ['https://127.0.1/'],
    ['https://2130706433/'],
    ['https://0x7f000001/'],
    ['https://0x7f.0.0.1/'],
    ['https://0177.0.0.1/'],
    ['https://017700000001/'],
    ['https://127.0.0.1./'],
    ['https://127%2e0%2e0%2e1/'],
    ['https://１２７.０.０.１/'],
    ['https://①②⑦.⓪.⓪.①/'],
    ['https://127。0。0。1/'],
    ['https://0.0.0.0/'],
    ['https://0/'],
    ['https://10.0.0.1/'],
    ['https://172.16.0.1/'],
    ['https://172.31.255.255/'],
    ['https://192.168.1.1/'],
    ['https://192.168.257/'],
    ['https://100.64.0.1/'],
    ['https://100.100.100.200/'],
    ['https://169.254.169.254/latest/meta-data/'],
    ['https://0xa9fea9fe/'],
    ['https://2852039166/'],
    ['https://192.0.0.192/'],
    ['https://168.63.129.16/'],
    ['https://192.0.2.1/'],
    ['https://198.51.100.1/'],
    ['https://203.0.113.1/'],
    ['https://198.18.0.1/'],
    ['https://192.88.99.1/'],
    ['https://224.0.0.1/'],
    ['https://239.255.255.250/'],
    ['https://240.0.0.1/'],
    ['https://255.255.255.255/'],
    ['https://256.256.256.256/'],
    ['https://1.2.3.4.5/'],
    // The same by IPv6.
    ['https://[::]/'],
    ['https://[::1]/'],
    ['https://[0:0:0:0:0:0:0:1]/'],
    ['https://[::ffff:127.0.0.1]/'],
    ['https://[::ffff:7f00:1]/'],
    ['https://[::127.0.0.1]/'],
    ['https://[::ffff:0:127.0.0.1]/'],
    ['https://[::ffff:169.254.169.254]/'],
    ['https://[64:ff9b::127.0.0.1]/'],
    ['https://[64:ff9b::a9fe:a9fe]/'],
    ['https://[64:ff9b:1::8.8.8.8]/'],
    ['https://[2002:7f00:1::]/'],
    ['https://[2002:a9fe:a9fe::1]/'],
    ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['https://[2001:db8::1]/'],
    ['https://[2001:20::1]/'],
    ['https://[3fff::1]/'],
    ['https://[100::1]/'],
    ['https://[fc00::1]/'],
    ['https://[fd00:ec2::254]/'],
    ['https://[fe80::1]/'],
    ['https://[fe80::1%25eth0]/'],
    ['https://[fe80::1%eth0]/'],
    ['https://[fec0::1]/'],
    ['https://[ff02::1]/'],
    ['https://[5f00::1]/'],
    ['https://[4000::1]/'],
    // Names.
    ['https://localhost/'],
    ['https://LOCALHOST/'],
    ['https://localhost./'],
    ['https://ⓛocalhost/'],
    ['https://app.localhost/'],
    ['https://localhost.localdomain/'],
    ['https://printer.local/'],
    ['https://metadata.google.internal/'],
    ['https://db.corp/'],
    ['https://router.home.arpa/'],
    ['https://abc.onion/'],
    ['https://postgres/'],
    ['https://hooks.example.com./'],
    ['https://hooks.example.com../'],
    ['https://hooks.example.invalid/'],
    // Names that resolve to somewhere inside.
    ['https://hooks.example.com/', '127.0.0.1'],
    ['https://127.0.0.1.nip.io/', '127.0.0.1'],
    ['https://hooks.example.com/', '10.0.0.1'],
    ['https://hooks.example.com/', '::1'],
    ['https://hooks.example.com/', '::ffff:10.0.0.1'],
    ['https://hooks.example.com/', 'fe80::1%eth0'],
    ['https://hooks.example.com/', 'not an address'],
    // Ports.
    ['https://hooks.example.com:0/'],
    ['https://hooks.example.com:22/'],
    ['https://hooks.example.com:25/'],
    ['https://hooks.example.com:80/'],
    ['https://hooks.example.com:2375/'],
    ['https://hooks.example.com:5432/'],
    ['https://hooks.example.com:6379/'],
    ['https://hooks.example.com:11211/'],
    ['https://hooks.example.com:27017/'],
    ['https://hooks.example.com:65536/'],
    ['https://hooks.example.com:-1/'],
    // What people and parsers read differently.
    ['https://user@hooks.example.com/'],
    ['https://user:password@hooks.example.com/'],
    ['https://@hooks.example.com/'],
    ['https://:@hooks.example.com/'],
    ['https://hooks.example.com@127.0.0.1/'],
    ['https://hooks.example.com\\@127.0.0.1/'],
    ['https:\\\\hooks.example.com/'],
    ['https://hooks.example.com/\\..\\'],
    ['https://hooks.example.com#@127.0.0.1/'],
    ['https://hooks.example.com/#fragment'],
    [' https://hooks.example.com/'],
    ['https://hooks.example.com/ '],
    ['https://hooks.example.com/a b'],
    ['https://hooks.exa\tmple.com/'],
    ['https://hooks.example.com/\r\nX-Injected: 1'],
    ['https://hooks.example.com/\u0000'],
    ['https://hooks.example.com/\u2028'],
    ['https://hooks.example.com%00.evil.com/'],
    ['https://hooks%2eexample%2ecom%2f@evil.com/'],
    ['https://exa<mple.com/'],
    ['https://[::1'],
    ['https://::1/'],
    [`https://hooks.example.com/${'a'.repeat(2_048)}`],
    [`https://${'a'.repeat(2_000_000)}.com/`],
  ])('%.60s %s', async (url, address = PUBLIC) => {
    expect(await checkWebhookUrl(url, [], resolveTo(address))).toEqual(expect.any(String))
  })

  test('one bad address among good ones is enough', async () => {
    const why = 'leads to an address that is not public'
    expect(await check('https://a.example.com/', [], PUBLIC, '10.0.0.1')).toBe(why)
    expect(await check('https://a.example.com/', [], '2606:4700::1', '::1')).toBe(why)
  })
})

describe('the message says what is wrong', () => {
  test.each([
    ['http://hooks.example.com/', 'does not start with https://'],
    ['https://hooks.example.com:6379/', 'has port 6379, the port of Redis'],
    ['https://hooks.example.com:22/', 'has port 22, a port of another service'],
    ['https://a.internal/', 'names the host a.internal, a name of a private network'],
    ['https://receiver/', 'names the host receiver, which is not a public name'],
    ['https://u@hooks.example.com/', 'contains user info'],
    ['https://10.0.0.1/', 'leads to an address that is not public'],
  ])('%s %s', async (url, message) => {
    expect(await check(url)).toBe(message)
  })

  test('a name without an address, or whose name servers are silent', async () => {
    const url = 'https://hooks.example.com/'
    const why = 'names the host hooks.example.com, which does not resolve'
    expect(await checkWebhookUrl(url, [], resolveTo())).toBe(why)
    expect(await checkWebhookUrl(url, [], () => Promise.reject(new Error('NXDOMAIN')))).toBe(why)
    const silent = checkWebhookUrl(url, [], () => new Promise(() => undefined))
    expect(await silent).toBe('names a host that could not be resolved in time')
  })
})

describe("the operator's networks", () => {
  const NETWORKS = ['127.0.0.0/8', '::1', '10.1.0.0/16', 'fd00:1::/32']

  test.each<[url: string, ...addresses: string[]]>([
    ['http://127.0.0.1:8080/hook'],
    ['http://127.9.9.9/'],
    ['https://127.0.0.1:5432/'],
    ['http://[::1]:3000/'],
    ['http://[::ffff:127.0.0.1]:3000/'],
    ['http://localhost:3000/', '127.0.0.1', '::1'],
    ['http://receiver:3000/', '10.1.2.3'],
    ['https://hooks.internal/', 'fd00:1::5'],
    ['https://hooks.example.com/', '10.1.2.3', PUBLIC],
    ['https://hooks.example.com/', PUBLIC],
  ])('%s (%s) is fine', async (url, ...addresses) => {
    expect(await check(url, NETWORKS, ...addresses)).toBeUndefined()
  })

  test.each<[url: string, ...addresses: string[]]>([
    ['http://hooks.example.com/', PUBLIC],
    ['http://hooks.example.com/', '127.0.0.1', PUBLIC],
    ['https://hooks.example.com:6379/', '127.0.0.1', PUBLIC],
    ['http://10.2.0.1/'],
    ['https://10.2.0.1/'],
    ['https://169.254.169.254/'],
    ['http://[::2]/'],
    ['http://user@127.0.0.1/'],
    ['http://127.0.0.1:0/'],
    ['ftp://127.0.0.1/'],
  ])('%s (%s %s) is refused', async (url, ...addresses) => {
    expect(await check(url, NETWORKS, ...addresses)).toEqual(expect.any(String))
  })
})

describe('every IPv4 address', () => {
  const guard = new AddressGuard(['10.1.0.0/16'], resolveTo())
  const octet = fc.oneof(fc.constantFrom(0, 1, 10, 100, 127, 169, 172, 192, 254), fc.nat(255))
  const address = fc.tuple(octet, octet, octet, octet)
  const hexOf = (n: number) => n.toString(16)

  test('gets the same verdict in all spellings and in all IPv6 forms', async () => {
    await fc.assert(
      fc.asyncProperty(address, async ([a, b, c, d]) => {
        const dotted = [a, b, c, d].join('.')
        const [high, low] = [a * 256 + b, c * 256 + d].map(hexOf)
        const number = ((a * 256 + b) * 256 + c) * 256 + d
        const isFine = guard.allows(dotted, { whyRestricted: undefined })
        const hosts = [
          dotted,
          `${dotted}.`,
          String(number),
          `0x${hexOf(number)}`,
          `0${number.toString(8)}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
          `0x${hexOf(a)}.0${b.toString(8)}.${c * 256 + d}`,
          `[::ffff:${dotted}]`,
          `[::ffff:${high}:${low}]`,
          `[::ffff:0:${dotted}]`,
          `[64:ff9b::${dotted}]`,
          `[2002:${high}:${low}::1]`,
          `[::${dotted}]`,
        ]
        for (const host of hosts) {
          const resolved = guard.resolve(parseTarget(`https://${host}/`))
          const verdict = await resolved.then(
            () => true,
            () => false,
          )
          expect([host, verdict]).toEqual([host, isFine])
        }
      }),
      { numRuns: 500 },
    )
  })
})
