"""A JSON schema, read into fields: what may be filled, and everything the schema says about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, content_words, split_name, stem
from signalbox.models.offline.fill.options.codes import coded_kind, names_by_code
from signalbox.models.offline.fill.spoken_examples import spoken_examples

__all__ = ["Field", "read_schema"]

_DEEPEST = 5
_MOST_FIELDS = 200
_SPECIFIC = ("enum", "boolean", "integer", "number", "array", "object", "map", "string", "any")
# Words of a name that say what kind of thing the value is, and so are rarely said.
_DULL = word_set("""id ids identifier name names key code number no value type text string field list the of is has""")
# Words of a description that say what a schema is, not what the field holds.
_FRAME = word_set(
    """whether true false optional required value values field default defaults number string list text
    name e.g eg i.e ie etc example used specified given specify provide if not none null one two
    more such must"""
)
_NO_ALIASES = STOP | _FRAME
_ASIDES = re.compile(r"\([^)]*\)|'[^']*'|\"[^\"]*\"|`[^`]*`|\be\.?g\.?.*")
_BRACKETED = re.compile(r"\(([^)]{2,40})\)")


@dataclass(frozen=True, eq=False)
class Field:
    """One property of a schema. `path` is dotted; `children` and `item` lead to what is nested.

    A field is `required` in its own object; it `must` be filled when all objects around it are required too.
    `within` and `setting` are the name and the description of the object that it stands in. A `coded` field was free
    text that asks for a code; its options are the codes of a general table.
    """

    path: str
    name: str
    kind: str
    required: bool
    must: bool = False
    description: str = ""
    format: str = ""
    pattern: str = ""
    options: tuple[Any, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[Any, ...] = ()
    candidates: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    shortest: int = 0
    longest: float | None = None
    children: tuple[Field, ...] = ()
    item: Field | None = None
    within: tuple[str, ...] = ()
    setting: str = ""
    coded: bool = False

    @cached_property
    def name_words(self) -> tuple[str, ...]:
        return split_name(self.name)

    @cached_property
    def name_stems(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.name_words)

    @cached_property
    def telling_stems(self) -> tuple[str, ...]:
        """The stems of the name without its dull words, unless it has no others."""
        pairs = zip(self.name_words, self.name_stems, strict=True)
        return tuple(root for word, root in pairs if word not in _DULL) or self.name_stems

    @cached_property
    def nicknames(self) -> tuple[str, ...]:
        """Stems by which a field may be spoken of: "user" for username, "host" for hostname."""
        cut = (word.removesuffix(end) for word in self.name_words for end in ("name", "id", "code") if word != end)
        whole = set(self.name_words)
        return tuple(stem(word) for word in cut if len(word) > 2 and word not in whole)

    @cached_property
    def described(self) -> tuple[str, ...]:
        """The telling words of the description, in order."""
        plain = _ASIDES.sub(" ", self.description)
        told = tuple(word for word in content_words(plain) if word not in _FRAME)
        return ("place", *told) if self.description[:6].lower() == "where " else told

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of all telling words of name and description."""
        return frozenset(stem(word) for word in (*self.name_words, *self.described) if word not in STOP)

    @cached_property
    def kin(self) -> frozenset[str]:
        """Stems of all that is said of the field and of the object that it stands in."""
        around = (*self.within, *content_words(self.setting))
        return self.words | frozenset(stem(word) for word in around if word not in _FRAME)

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Stems of single words that the description adds in brackets as other names: "Breadth (width)"."""
        rows = _BRACKETED.findall(self.description.lower()) if "(" in self.description else ()
        parts = [part.strip() for row in rows for part in re.split(r",|/|;|\bor\b", row)]
        return frozenset(stem(part) for part in parts if part.isalpha() and part not in _NO_ALIASES)

    @cached_property
    def about(self) -> str:
        """Name and description in lower case, for looking up units and formats."""
        return f"{' '.join(self.name_words)} . {self.description}".lower()


def read_schema(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of an object schema. What cannot be read is left out."""
    try:
        return _read_cached(json.dumps(schema, default=str))
    except (TypeError, ValueError, RecursionError):
        return ()


@lru_cache(maxsize=256)
def _read_cached(text: str) -> tuple[Field, ...]:
    root = json.loads(text)
    return _Reader(root).properties(root, "", ()) if isinstance(root, dict) else ()


class _Reader:
    """Walks one schema; `trail` holds the references that are open, so that a loop is cut."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.left = _MOST_FIELDS

    def properties(
        self, schema: dict[str, Any], path: str, trail: tuple[str, ...], must: bool = True
    ) -> tuple[Field, ...]:
        schema, trail = self.resolve(schema, trail)
        setting = str(schema.get("description") or "") if path else ""
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return ()
        required = schema.get("required") or ()
        fields = []
        for name, inner in properties.items():
            if self.left <= 0:
                break
            self.left -= 1
            if isinstance(inner, dict):
                made = self.field(str(name), inner, path, name in required, trail, must and name in required)
                fields.append(replace(made, setting=setting) if setting else made)
        return tuple(fields)

    def field(
        self, name: str, schema: dict[str, Any], path: str, required: bool, trail: tuple[str, ...], must: bool
    ) -> Field:
        outer = schema
        schema, trail = self.resolve(schema, trail)
        merged = schema | _chosen(outer, "description", "examples", "default")
        dotted = f"{path}.{name}" if path else name
        kind = _kind(merged)
        deep = len(trail) + dotted.count(".") >= _DEEPEST
        children = self.properties(merged, dotted, trail, must) if kind == "object" and not deep else ()
        item = None
        if kind == "array" and not deep and isinstance(merged.get("items"), dict):
            item = self.field(name, _described(merged["items"], merged), path, False, trail, False)
            if "examples" not in {**merged, **merged["items"]}:
                # Plain words that a description mentions say little of what a list holds.
                item = replace(item, examples=tuple(one for one in item.examples if not str(one).isalpha()))
        if kind == "map" and isinstance(merged.get("additionalProperties"), dict):
            item = self.field(name, merged["additionalProperties"], path, False, trail, False)
        if kind == "object" and not children:
            kind = "any" if deep else "map"
        made = Field(
            path=dotted,
            name=name,
            kind=kind,
            required=required,
            must=must,
            within=split_name(path.rpartition(".")[2]),
            children=children,
            item=item,
            **_facts(merged),
        )
        return _with_codes(made)

    def resolve(self, schema: dict[str, Any], trail: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The schema with its references, unions and compositions folded into one."""
        for _ in range(_DEEPEST):
            if "$ref" in schema:
                target = str(schema["$ref"])
                if target in trail:
                    return {"type": "any"}, trail
                trail = (*trail, target)
                schema = {**self.find(target), **{key: value for key, value in schema.items() if key != "$ref"}}
            elif isinstance(schema.get("allOf"), list):
                schema = _merge_all(schema)
            elif union := schema.get("anyOf") or schema.get("oneOf"):
                schema = {**self.choose(union, trail), **_without_union(schema)}
            else:
                break
        return schema, trail

    def find(self, reference: str) -> dict[str, Any]:
        place: Any = self.root
        for step in reference.removeprefix("#").strip("/").split("/"):
            place = place.get(step) if isinstance(place, dict) and step else place
        return place if isinstance(place, dict) else {}

    def choose(self, union: list[Any], trail: tuple[str, ...]) -> dict[str, Any]:
        """Of a union the member that says most; constants fold into one list of options."""
        members = [member for member in union if isinstance(member, dict) and member.get("type") != "null"]
        if members and all("const" in member for member in members):
            return {
                "enum": [member["const"] for member in members],
                "synonyms": {
                    str(m["const"]): [m[key] for key in ("title", "description") if key in m] for m in members
                },
            }
        if len(members) == 1:
            return members[0]
        resolved = [self.resolve(member, trail)[0] if "$ref" in member else member for member in members]
        ranked = sorted(zip(resolved, members, strict=True), key=lambda pair: _SPECIFIC.index(_kind(pair[0])))
        return ranked[0][1] if ranked else {}


def _with_codes(made: Field) -> Field:
    """A text field that asks for codes is a choice among them, each with the names that people use."""
    if made.kind != "string" or made.candidates or not (kind := coded_kind(made.about, made.pattern, made.examples)):
        return made
    names = names_by_code(kind)
    return replace(made, kind="enum", options=tuple(names), synonyms=names, coded=True, examples=(), pattern="")


def _merge_all(schema: dict[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in [*schema["allOf"], {key: value for key, value in schema.items() if key != "allOf"}]:
        if isinstance(part, dict):
            properties = {**merged.get("properties", {}), **part.get("properties", {})}
            required = [*merged.get("required", []), *part.get("required", [])]
            merged = {**merged, **part}
            merged |= {"properties": properties} if properties else {}
            merged |= {"required": required} if required else {}
    return merged


def _without_union(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}


def _described(item: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    """An item of a list carries the words of the list, unless it has its own."""
    return _chosen(outer, "description", "examples", "synonyms", "x-synonyms", "x-candidates") | item


def _chosen(schema: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: schema[key] for key in keys if key in schema}


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if "const" in schema or isinstance(schema.get("enum"), list):
        return "enum"
    if kind is None and "properties" in schema:
        kind = "object"
    if kind == "object" and "properties" not in schema:
        return "map"
    return kind if kind in _SPECIFIC else "any"


def _facts(schema: dict[str, Any]) -> dict[str, Any]:
    options = [schema["const"]] if "const" in schema else schema.get("enum") or []
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    return {
        "description": str(schema.get("description") or schema.get("title") or ""),
        "format": str(schema.get("format") or ""),
        "pattern": str(schema.get("pattern") or ""),
        "options": tuple(one for one in options if one is not None and not isinstance(one, dict | list)),
        "synonyms": _synonyms(schema),
        "examples": tuple(
            _listed(schema.get("examples"))
            or _listed(schema.get("example"))
            or spoken_examples(str(schema.get("description") or ""), str(schema.get("type")))
        ),
        "candidates": tuple(str(one) for one in _listed(schema.get("x-candidates") or schema.get("candidates"))),
        "minimum": _number(schema.get("minimum"), above),
        "maximum": _number(schema.get("maximum"), below),
        "shortest": int(_number(schema.get("minLength")) or 0),
        "longest": _number(schema.get("maxLength")),
    }


def _number(*values: Any) -> float | None:
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value is None or isinstance(value, dict) else [value]


def _synonyms(schema: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key in ("synonyms", "x-synonyms", "enumDescriptions", "x-enum-descriptions"):
        for value, words in _pairs(schema[key]) if key in schema else ():
            found[value] = (*found.get(value, ()), *words)
    return found


def _pairs(synonyms: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Synonyms by value; a plain list of them belongs to the field itself, under the empty name."""
    if isinstance(synonyms, Mapping):
        for value, words in synonyms.items():
            name = str(value).lower() if isinstance(value, bool) else str(value)
            yield name, tuple(str(word) for word in _listed(words))
    elif isinstance(synonyms, list | tuple):
        yield "", tuple(str(word) for word in synonyms)
