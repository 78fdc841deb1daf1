"""Alerts on big trades, and misses none when the connection is lost.

    python3 big_trades.py [--min-usd 1000] [--count 10]
"""
import argparse
import json
import os
import sys
import time

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect


def follow(url, key, subscription):
    """Yields events. After a lost connection it goes on after the last event that it yielded."""
    seq = None
    while True:
        try:
            with connect(f"{url}/ws", additional_headers={"x-api-key": key}, max_size=None) as socket:
                past = {} if seq is None else {"since_seq": seq}
                socket.send(json.dumps({"action": "subscribe", **subscription, **past}))
                for text in socket:
                    message = json.loads(text)
                    if message["type"] == "error":
                        sys.exit(message["message"])
                    for event in message["events"] if message["type"] == "snapshot" else [message]:
                        if "seq" in event:
                            seq = event["seq"]
                            yield event
        except (ConnectionClosed, OSError) as error:
            refusal = getattr(error, "rcvd", None)
            if refusal is not None and refusal.code in (4401, 4403):
                sys.exit(refusal.reason)  # the key does not work
            print(f"-- connecting again: {error}", file=sys.stderr)
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--min-usd", type=float, default=1000)
    parser.add_argument("--count", type=int, help="ends after this many alerts")
    options = parser.parse_args()
    url, key = os.environ.get("AUSPEX_URL"), os.environ.get("AUSPEX_KEY")
    if not url or not key:
        sys.exit("Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md")

    subscription = {"event_types": ["trade"], "filters": {"min_size": options.min_usd}}
    alerts = 0
    for event in follow(url.replace("http", "ws", 1), key, subscription):
        trade = event["data"]
        if not trade["is_taker_order"]:
            continue  # the other side of a match, which comes as the order that took too
        # The side that gives money, in millionths of a dollar.
        usd = int(trade["maker_amount" if trade["side"] == "BUY" else "taker_amount"]) / 1_000_000
        order = f"{trade['side']} {trade['size']} at {trade['price']}"
        print(f"${usd:,.2f}  {order}  {trade['tx_hash']}  {trade.get('market_title', '')}", flush=True)
        alerts += 1
        if alerts == options.count:
            return


try:
    main()
except (WebSocketException, KeyboardInterrupt) as error:
    sys.exit(str(error))
