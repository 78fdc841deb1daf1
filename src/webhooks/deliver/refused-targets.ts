/**
 * Where webhooks may not point, unless the operator lists the network. Attackers aim webhooks at what
 * only the service can reach: its own machine, the operator's network, the cloud's metadata.
 */
export const REFUSED_NETWORKS: readonly (readonly [network: string, what: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by a carrier; metadata of Alibaba Cloud'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'metadata of Azure'],
  ['169.254.0.0/16', 'link-local; metadata of most clouds'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments; metadata of Oracle Cloud'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved; broadcast'],
  // Everything outside of 2000::/3, the only part of IPv6 with public addresses: `::`, `::1`, local
  // NAT64 (64:ff9b:1::/48), discard (100::/64), unique local, link-local, multicast.
  ['::/3', 'not public'],
  ['4000::/2', 'not public'],
  ['8000::/1', 'not public'],
  ['2001::/23', 'protocol assignments: Teredo, benchmarking, ORCHID'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
]

/** Names, and the ends of names, that no public host has. */
export const REFUSED_NAMES: readonly (readonly [name: string, what: string])[] = [
  ['localhost', 'a name of the machine itself'],
  ['local', 'a name of the local network'],
  ['internal', 'a name of a private network'],
  ['intranet', 'a name of a private network'],
  ['corp', 'a name of a private network'],
  ['home', 'a name of a private network'],
  ['lan', 'a name of a private network'],
  ['home.arpa', 'a name of a private network'],
  ['private', 'a name of a private network'],
  ['localdomain', 'a name of the local network'],
  ['onion', 'not a name of the public DNS'],
  ['alt', 'not a name of the public DNS'],
  ['test', 'a name for tests'],
  ['example', 'a name for documentation'],
  ['invalid', 'a name that never exists'],
]

/** The port of HTTPS is the only one of the well-known ports that webhooks may use. */
const WELL_KNOWN_PORT_MAX = 1_023
const HTTPS_PORT = 443

/** Ports above the well-known ones that speak something else, or that hold data without a password. */
const REFUSED_PORTS: ReadonlyMap<number, string> = new Map([
  [1433, 'SQL Server'],
  [1521, 'Oracle'],
  [1719, 'H.323'],
  [1720, 'H.323'],
  [1723, 'PPTP'],
  [2049, 'NFS'],
  [2181, 'ZooKeeper'],
  [2375, 'Docker'],
  [2376, 'Docker'],
  [2379, 'etcd'],
  [2380, 'etcd'],
  [3306, 'MySQL'],
  [3389, 'Remote Desktop'],
  [3659, 'Apple SASL'],
  [4045, 'NFS lock'],
  [4190, 'ManageSieve'],
  [4222, 'NATS'],
  [5060, 'SIP'],
  [5061, 'SIP'],
  [5432, 'PostgreSQL'],
  [5433, 'PostgreSQL'],
  [5672, 'AMQP'],
  [5900, 'VNC'],
  [5984, 'CouchDB'],
  [6000, 'X11'],
  [6379, 'Redis'],
  [6380, 'Redis'],
  [6432, 'PgBouncer'],
  [6443, 'Kubernetes'],
  [6566, 'SANE'],
  [6665, 'IRC'],
  [6666, 'IRC'],
  [6667, 'IRC'],
  [6668, 'IRC'],
  [6669, 'IRC'],
  [6679, 'IRC'],
  [6697, 'IRC'],
  [7000, 'Cassandra'],
  [7001, 'Cassandra'],
  [8086, 'InfluxDB'],
  [8125, 'StatsD'],
  [8500, 'Consul'],
  [9042, 'Cassandra'],
  [9092, 'Kafka'],
  [9200, 'Elasticsearch'],
  [9300, 'Elasticsearch'],
  [10080, 'Amanda'],
  [10250, 'Kubernetes'],
  [10255, 'Kubernetes'],
  [11211, 'memcached'],
  [27017, 'MongoDB'],
  [27018, 'MongoDB'],
  [50000, 'DB2'],
  [61616, 'ActiveMQ'],
])

/** Why webhooks may not use a port; `undefined`: they may. */
export function whyPortRefused(port: number): string | undefined {
  if (port <= WELL_KNOWN_PORT_MAX && port !== HTTPS_PORT) return 'a port of another service'
  const service = REFUSED_PORTS.get(port)
  return service === undefined ? undefined : `the port of ${service}`
}
