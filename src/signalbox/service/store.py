"""The store, with the routes and bodies of LangGraph's Agent Server: JSON that programs store for a person."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

from signalbox.runs.items import delete_item, get_item, list_namespaces, put_item, search_items
from signalbox.service.options import Options, Unsupported, refuse_unknown_query
from signalbox.service.problems import REFUSALS

__all__ = ["router"]

router = APIRouter(prefix="/store", tags=["store"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
Key = Annotated[str, Field(min_length=1, max_length=1000)]
Labels = Annotated[list[str], Field(max_length=100)]


class Place(Options):
    """Where an item is."""

    namespace: Labels
    key: Key


class NewItem(Place):
    """An item to store; it expires after `ttl` minutes. There is no index: items are found by their fields."""

    value: dict[str, Any]
    ttl: float | None = Field(default=None, gt=0, le=5_256_000)
    index: Literal[False] | None = None


class ItemSearch(Options):
    """Which items: those below a prefix whose values have these fields."""

    namespace_prefix: Labels = Field(default_factory=list)
    filter: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    query: Unsupported = None
    refresh_ttl: Unsupported = None


class NamespaceSearch(Options):
    """Which namespaces: those with this prefix and suffix, down to a depth."""

    prefix: Labels = Field(default_factory=list)
    suffix: Labels = Field(default_factory=list)
    max_depth: int | None = Field(default=None, ge=1, le=100)
    limit: int = Field(default=100, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)


@router.put("/items", status_code=204)
async def put(wanted: NewItem) -> Response:
    """Store an item, replacing any other."""
    await asyncio.to_thread(put_item, wanted.namespace, wanted.key, wanted.value, wanted.ttl)
    return Response(status_code=204)


@router.get("/items")
async def get(
    key: Annotated[str, Query(min_length=1, max_length=1000)],
    namespace: Annotated[list[str], Query(max_length=100)],
    refresh_ttl: bool | None = None,
) -> dict[str, Any] | None:
    """Return an item, or null. The labels of the namespace are separated by dots, or the parameter is repeated. Reading
    does not extend an item's expiry."""
    labels = namespace if len(namespace) > 1 else namespace[0].split(".")
    found = await asyncio.to_thread(get_item, labels, key)
    return found.as_dict() if found else None


@router.delete("/items", status_code=204)
async def delete(wanted: Place) -> Response:
    """Delete an item."""
    await asyncio.to_thread(delete_item, wanted.namespace, wanted.key)
    return Response(status_code=204)


@router.post("/items/search")
async def search(wanted: ItemSearch) -> dict[str, Any]:
    """List items, latest first."""
    options = wanted.namespace_prefix, wanted.filter, wanted.limit, wanted.offset
    return {"items": [one.as_dict() for one in await asyncio.to_thread(search_items, *options)]}


@router.post("/namespaces")
async def namespaces(wanted: NamespaceSearch) -> dict[str, Any]:
    """List the namespaces with items."""
    options = wanted.prefix, wanted.suffix, wanted.max_depth, wanted.limit, wanted.offset
    return {"namespaces": [list(one) for one in await asyncio.to_thread(list_namespaces, *options)]}
