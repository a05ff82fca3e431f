"""The tools of the tools example."""

from __future__ import annotations

from langchain_core.tools import tool


@tool
def reduce_price(price: int, percent: int) -> int:
    """Reduce a price by a discount in percent."""
    return price - price * percent // 100


@tool
def raise_price(price: int, percent: int) -> int:
    """Raise a price by a surcharge in percent."""
    return price + price * percent // 100
