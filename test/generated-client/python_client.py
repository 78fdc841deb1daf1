"""A program as a user would write it, on a client that is generated from the documents of the service."""

import json
import sys

from auspex_client import AuthenticatedClient
from auspex_client.api.leaderboards import list_leaderboard
from auspex_client.api.trades import list_trades
from auspex_client.api.positions import list_wallet_positions
from auspex_client.models import (
    BadRequestError,
    LeaderboardRow,
    ListLeaderboardResponse,
    ListTradesGroupBy,
    ListTradesResponse,
    ListWalletPositionsResponse,
    OrderTrades,
    Trade,
    WalletPosition,
)
from auspex_streams import EventsSocketMessage, SubscribeMessage, TradeMessage
from websockets.sync.client import connect

with open(sys.argv[1]) as file:
    demo = json.load(file)
key = demo["keys"]["growth"]
client = AuthenticatedClient(base_url=demo["url"], token=key, auth_header_name="x-api-key", prefix="")


def read_trades(pages: int) -> list[Trade]:
    """Trades of all markets, page after page."""
    trades: list[Trade] = []
    cursor = {}
    for _ in range(pages):
        page = list_trades.sync(client=client, limit=5, **cursor)
        assert isinstance(page, ListTradesResponse), page
        trades += [row for row in page.trades if isinstance(row, Trade)]
        assert page.next_cursor, "the demo has more trades"
        cursor = {"cursor": page.next_cursor}
    return trades


def read_stream(count: int) -> list[TradeMessage]:
    """Live trades."""
    trades: list[TradeMessage] = []
    with connect(f"{demo['ws_url']}/ws?key={key}", max_size=None) as socket:
        socket.send(SubscribeMessage(action="subscribe", type="trades").model_dump_json(exclude_none=True))
        for text in socket:
            message = EventsSocketMessage.model_validate_json(text).root
            if isinstance(message, TradeMessage):
                trades.append(message)
            if len(trades) == count:
                break
    return trades


trades = read_trades(3)
assert len({trade.id for trade in trades}) == 15, trades
assert all(isinstance(trade.price, float) and isinstance(trade.is_taker_order, bool) for trade in trades)

orders = list_trades.sync(client=client, limit=2, group_by=ListTradesGroupBy.ORDER_HASH)
assert isinstance(orders, ListTradesResponse), orders
assert all(isinstance(row, OrderTrades) and row.fill_count > 0 for row in orders.trades), orders

positions = list_wallet_positions.sync(demo["samples"]["wallet"], client=client, limit=5)
assert isinstance(positions, ListWalletPositionsResponse), positions
assert all(isinstance(row, WalletPosition) and row.status for row in positions.positions), positions

board = list_leaderboard.sync(client=client, limit=5)
assert isinstance(board, ListLeaderboardResponse), board
assert [row.rank for row in board.leaderboard if isinstance(row, LeaderboardRow)] == [1, 2, 3, 4, 5], board

refusal = list_trades.sync(client=client, token_id="none")
assert isinstance(refusal, BadRequestError) and "token_id" in refusal.error, refusal

# The generated functions read JSON. The other formats come over the same connection.
parquet = client.get_httpx_client().get("/v3/trades", params={"limit": 5, "format": "parquet"})
assert parquet.content[:4] == b"PAR1", parquet

events = read_stream(3)
assert all(event.data.size > 0 and event.data.side.value in ("BUY", "SELL") for event in events), events

print(f"a generated Python client read {len(trades)} trades, {len(positions.positions)} positions,")
print(f"{len(board.leaderboard)} rows of a leaderboard and {len(events)} events of the stream")
