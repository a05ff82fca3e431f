"""UpGrade's REST API over a store, under `/api`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from signalbox.worlds.experiments import admin, metrics, views, visitors
from signalbox.worlds.experiments.access import Access
from signalbox.worlds.experiments.errors import WRONG_FORMAT, Refusal, bad_body
from signalbox.worlds.experiments.rows import moment, stamped
from signalbox.worlds.experiments.store import Store

__all__ = ["create_app"]

Answer = Callable[[Store, Request, Any], Any]


def create_app(store: Store, access: Access | None = None) -> Starlette:
    """The application. One call is answered at a time, and kept before it is answered."""
    opened = access or Access()

    def route(path: str, method: str, answer: Answer, kind: str = "admin") -> Route:
        return Route(f"/api{path}", _endpoint(store, opened, answer, kind), methods=[method])

    return Starlette(
        routes=[
            route("", "GET", _about, "open"),
            route("/", "GET", _about, "open"),
            route("/version", "GET", lambda *_: PlainTextResponse(admin.VERSION)),
            route("/token", "GET", lambda *_: JSONResponse({"error": "Token service is not allowed"}, 403), "open"),
            route("/experiments/contextMetaData", "GET", lambda s, *_: {"contextMetadata": dict(s.metadata)}),
            route("/experiments/names", "GET", _names),
            route("/experiments", "GET", lambda s, *_: [views.as_listed(one) for one in s.experiments.values()]),
            route("/experiments", "POST", lambda s, _, body: admin.create(s, body)),
            route("/experiments/paginated", "POST", lambda s, _, body: admin.page(s, body)),
            route("/experiments/state", "POST", lambda s, _, body: admin.move(s, body)),
            route("/experiments/inclusionList", "POST", lambda s, _, body: admin.add_list(s, body, "include")),
            route("/experiments/exclusionList", "POST", lambda s, _, body: admin.add_list(s, body, "exclude")),
            route("/experiments/single/{id}", "GET", lambda s, r, _: admin.single(s, r.path_params["id"])),
            route("/experiments/{id}", "PUT", lambda s, r, body: admin.update(s, r.path_params["id"], body)),
            route("/experiments/{id}", "DELETE", lambda s, r, _: admin.delete(s, r.path_params["id"])),
            route("/stats/enrollment/detail", "POST", lambda s, _, body: admin.detail(s, body.get("experimentId"))),
            route("/stats/enrollment", "POST", lambda s, _, body: admin.counts(s, body.get("experimentIds"))),
            route("/segments", "POST", _global_exclude),
            route("/segments/global", "GET", lambda s, *_: [_segment(one) for one in s.segments.values()]),
            route("/setting", "GET", lambda s, *_: _settings(s)),
            route("/setting", "POST", _set),
            route("/batch-assign", "POST", lambda s, _, body: visitors.batch_assign(s, body)),
            route("/v6/batch-assign", "POST", lambda s, _, body: visitors.batch_assign(s, body)),
            route("/v6/init", "POST", lambda s, r, body: visitors.init(s, _user(r), body), "client"),
            route("/v6/assign", "POST", lambda s, r, body: visitors.assign(s, _user(r), body), "client"),
            route("/v6/mark", "POST", lambda s, r, body: visitors.mark(s, _user(r), body), "client"),
            route("/v6/groupmembership", "PATCH", _patch("group"), "client"),
            route("/v6/workinggroup", "PATCH", _patch("workingGroup"), "client"),
            route("/v6/useraliases", "PATCH", lambda s, r, b: visitors.set_aliases(s, _user(r), b), "client"),
            route("/metric", "GET", lambda s, *_: metrics.shown(list(s.metrics.values()))),
            route("/metric/save", "POST", lambda s, _, body: metrics.save(s, body)),
            route("/metric/{name}", "GET", lambda s, r, _: metrics.in_context(s, r.path_params["name"])),
            route("/metric/{name}", "DELETE", lambda s, r, _: metrics.delete(s, r.path_params["name"])),
            route("/query/analyse", "POST", lambda s, _, body: metrics.analyse(s, body)),
            route("/v6/log", "POST", lambda s, r, b: metrics.log(s, visitors.known(s, _user(r))[0], b), "client"),
            # Feature flags are not played: there are none.
            route("/flags", "GET", lambda *_: []),
            route("/v6/featureflag", "POST", lambda *_: [], "client"),
        ],
        exception_handlers={404: _no_such_route, 405: _no_such_route},
    )


def _endpoint(store: Store, access: Access, answer: Answer, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        text = await request.body()
        body: Any = {}
        try:
            try:
                body = json.loads(text) if text else {}
            except ValueError:
                raise bad_body() from None
            store.refresh()
            _check(store, access, kind, request)
            said = answer(store, request, body)
            store.commit()
        except Refusal as refusal:
            # What the real server did before it failed stays done.
            store.commit()
            return JSONResponse(refusal.body(request.url.path, body), refusal.status)
        return said if isinstance(said, Response) else JSONResponse(said)

    return endpoint


def _check(store: Store, access: Access, kind: str, request: Request) -> None:
    header = request.headers.get("authorization", "")
    if kind == "admin":
        access.check_admin(request.method, request.url.path, header)
    if kind == "client" and _settings(store)["toCheckAuth"]:
        access.check_application(header)


def _user(request: Request) -> str:
    user_id = request.headers.get("user-id", "")
    if not user_id:
        raise Refusal(400, "User-Id header not found.", WRONG_FORMAT)
    return user_id


def _about(*_: Any) -> dict[str, str]:
    about = "Backend for the UpGrade A/B Testing Platform"
    return {"name": "A/B Testing Backend", "version": admin.VERSION, "description": about}


def _names(store: Store, *_: Any) -> list[dict[str, str]]:
    return [{"id": one["id"], "name": one["name"]} for one in store.experiments.values()]


def _patch(which: str) -> Answer:
    return lambda store, request, body: visitors.set_groups(store, _user(request), body, which)


def _global_exclude(store: Store, _: Request, body: Any) -> dict[str, Any]:
    """POST /segments, of which only the global exclude list of a context is played."""
    if not isinstance(body, dict) or body.get("context") not in store.metadata:
        raise bad_body()
    if body.get("type") != "global_exclude":
        raise Refusal(501, "Of segments, this embedded server plays only the global exclude lists.", None)
    kept = store.segments.get(body["context"]) or stamped() | {"id": body.get("id")}
    named = {key: body.get(key) for key in ("name", "description", "context", "type", "tags")}
    store.segments[body["context"]] = (
        kept | named | {"userIds": body.get("userIds") or [], "groups": body.get("groups") or []}
    )
    return _segment(store.segments[body["context"]], "")


def _segment(kept: Mapping[str, Any], status: str = "Excluded") -> dict[str, Any]:
    """A global exclude list as the server shows it; with its status where all of them are shown."""
    row = stamped() | {"segmentId": kept["id"]}
    shown = {key: value for key, value in kept.items() if key not in ("userIds", "groups")}
    return (
        shown
        | ({"status": status} if status else {})
        | {
            "listType": None,
            "individualForSegment": [row | {"userId": one} for one in kept["userIds"]],
            "groupForSegment": [row | {"groupId": one["groupId"], "type": one["type"]} for one in kept["groups"]],
            "subSegments": [],
        }
    )


def _settings(store: Store) -> dict[str, Any]:
    fresh = {"id": 1, "toCheckAuth": False, "toFilterMetric": False}
    return dict(store.settings.get("all") or stamped() | fresh)


def _set(store: Store, _: Request, body: Any) -> dict[str, Any]:
    before = _settings(store)
    said = {key: bool(body[key]) for key in ("toCheckAuth", "toFilterMetric") if key in body}
    after = before | said | {"updatedAt": moment(), "versionNumber": before["versionNumber"] + 1}
    store.settings["all"] = after
    return after


async def _no_such_route(request: Request, _: Exception) -> Response:
    words = f"Cannot {request.method} {request.url.path}"
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n'
        f"<body>\n<pre>{words}</pre>\n</body>\n</html>\n"
    )
    return HTMLResponse(page, 404)
