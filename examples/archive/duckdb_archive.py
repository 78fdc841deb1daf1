"""An archive of Auspex, asked with DuckDB: top markets, whales, and how well prices foretold results.

    python3 duckdb_archive.py <folder of the archive> [--json]
"""
# %% Every table is a folder of Parquet files by day, which DuckDB reads as one.
import json
import sys

import duckdb

if len(sys.argv) < 2:
    sys.exit("Name the folder of an archive: auspex archive --to <folder> makes one")
ARCHIVE = sys.argv[1]
AS_JSON = "--json" in sys.argv
db = duckdb.connect()

for table in ["fills", "tokens", "resolutions", "pnl_steps", "candles"]:
    files = f"{ARCHIVE}/table={table}/*/*.parquet"
    try:
        db.sql(f"create view {table} as select * from read_parquet('{files}', hive_partitioning = true)")
    except duckdb.IOException:
        sys.exit(f"There are no files of the table {table} in {ARCHIVE}")
# The catalogue is there whole for each day on which it was archived: the newest one counts.
db.sql(
    f"""create view markets as select * from read_parquet('{ARCHIVE}/table=markets/*/*.parquet', hive_partitioning = true)
        qualify row_number() over (partition by id order by day desc) = 1"""
)


def show(title, relation):
    rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
    if AS_JSON:
        print(json.dumps({"title": title, "rows": rows}, default=str))
        return
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(f"{name} {value}" for name, value in row.items()))


# %% Top markets. The fill of the order that took counts a match once; a maker's fill is its other side.
show(
    "Top markets",
    db.sql(
        """
        select f.token_id, any_value(m.question) as question, count(*) as trades, sum(f.usd) as volume_usd
          from fills f
          left join (select question, unnest(token_ids) as token_id from markets) m using (token_id)
         where f.role = 'taker' and not f.is_combo
         group by f.token_id
         order by volume_usd desc, f.token_id
         limit 10
        """
    ),
)

# %% Whales: who traded for most, and what they realized.
show(
    "Whales",
    db.sql(
        """
        with traded as (select wallet, sum(usd) as volume_usd, count(*) as fills from fills group by wallet),
             realized as (select wallet, sum(realized) as realized_usd from pnl_steps group by wallet)
        select wallet, volume_usd, fills, coalesce(realized_usd, 0) as realized_usd
          from traded
          left join realized using (wallet)
         order by volume_usd desc, wallet
         limit 10
        """
    ),
)

# %% Calibration: of what traded at 70 cents, seven in ten should have paid a dollar.
show(
    "Calibration",
    db.sql(
        """
        with stated as (
          select token_key, max(condition_key) as condition_key, max(outcome) as outcome from tokens group by token_key
        ), results as (
          select condition_key,
                 list_transform(arg_max(payouts, seq), lambda p: p::double) as payouts
            from resolutions group by condition_key
        )
        select floor(price * 10) / 10 as from_price, count(*) as fills, round(avg(price), 4) as mean_price,
               round(avg(payouts[outcome + 1] / list_sum(payouts)), 4) as won
          from fills
          join stated using (token_key)
          join results using (condition_key)
         where role = 'taker' and price > 0 and price < 1
         group by from_price
         order by from_price
        """
    ),
)
