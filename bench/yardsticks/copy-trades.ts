import { type AddressInfo, createServer } from 'node:net'
import { createPool, type Target } from '../../src/store/connection.js'

/** `COPY … TO STDOUT` of the trades of a wallet, piped to a socket after a head that makes it HTTP. */
const { target, wallet, limit } = JSON.parse(process.argv[2] ?? '') as {
  target: Target
  wallet: number
  limit: number
}
const sql = createPool(target, 1, { isSerial: true })
const COPY = `
  copy (
    select encode(f.tx_hash, 'hex'), encode(f.order_hash, 'hex'), b.time,
           encode(maker.address, 'hex'), encode(taker.address, 'hex'), encode(t.token, 'hex'),
           f.flags & 1, round(f.usd::numeric / f.shares, 4), f.shares, f.usd, f.fee
      from (select * from fills where wallet = ${wallet} and flags & 130 = 0
            union all
            select * from fills
             where taker = ${wallet} and wallet <> ${wallet} and flags & 2 = 0 and flags & 128 = 0
             order by seq desc limit ${limit}) f
      join blocks b on b.number = f.seq >> 20
      join wallets maker on maker.id = f.wallet
      join wallets taker on taker.id = f.taker
      join tokens t on t.id = f.token
     order by f.seq desc
  ) to stdout`

const server = createServer(async (socket) => {
  socket.on('error', () => undefined)
  socket.resume()
  socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')
  const rows = await sql.unsafe(COPY).readable()
  rows.pipe(socket)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
