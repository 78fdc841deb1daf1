import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * The IPv4 address that an IPv6 address stands for, where it stands for one (mapped, compatible,
 * translated, NAT64, 6to4); every other address as it is, without its zone.
 */
export function unwrapIpv4(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (!isIPv6(plain)) return plain
  const groups = parseGroups(plain)
  const at = EMBEDDINGS.find(({ prefix }) => prefix.every((group, i) => group === groups[i]))?.at
  if (at === undefined || isUnspecifiedOrLoopback(groups)) return plain
  return toDotted(groups[at] ?? 0, groups[at + 1] ?? 0)
}

/** What stands for the owner of an address: an IPv4 address, or the network of 64 bits that an IPv6 address is in. */
export function toNetwork(address: string): string {
  const plain = unwrapIpv4(address)
  if (!isIPv6(plain)) return plain
  const groups = parseGroups(plain).slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** The groups that such an address begins with, and where the two groups of the IPv4 address are. */
const EMBEDDINGS: readonly { prefix: readonly number[]; at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // mapped, ::ffff:0:0/96
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 }, // compatible, ::/96
  { prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 }, // translated, ::ffff:0:0:0/96
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64, 64:ff9b::/96
  { prefix: [0x2002], at: 1 }, // 6to4, 2002::/16
]

/** `::` and `::1` look like compatible addresses and are none. */
const isUnspecifiedOrLoopback = (groups: readonly number[]) =>
  groups.every((group, i) => group === 0 || (i === 7 && group === 1))

function parseGroups(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const high = Number(a) * 256 + Number(b)
    const low = Number(c) * 256 + Number(d)
    return `${high.toString(16)}:${low.toString(16)}`
  })
  const [head = [], tail] = hex
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))))
  if (tail === undefined) return head
  return [...head, ...new Array(8 - head.length - tail.length).fill(0), ...tail]
}

const toDotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** Networks such as `10.0.0.0/8`, or single addresses. */
export class NetworkList {
  // Apart, because a list of both would take an IPv4 address for part of `::/3`.
  readonly #lists = { 4: new BlockList(), 6: new BlockList() }

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/')
      const [family, name, bitsMax] = isIPv6(address) ? IPV6 : IPV4
      this.#lists[family].addSubnet(address, Number(bits ?? bitsMax), name)
    }
  }

  /** `false` also for what is no address. */
  has(address: string): boolean {
    const [family, name] = isIPv6(address) ? IPV6 : IPV4
    return isIP(address) !== 0 && this.#lists[family].check(address, name)
  }
}

const IPV4 = [4, 'ipv4', 32] as const
const IPV6 = [6, 'ipv6', 128] as const
