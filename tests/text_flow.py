"""Finds the places in the agents' rooms that the text of a request reaches, by reading the source.

Three kinds of places count, each once:

- a read of a key of the state that holds the text (`state["request"]`, `state.get("user_query")`, `turn.request`);
- a text parameter whose name says that it is the request (`request: str`);
- any parameter or field, whatever its name, that a call somewhere in the rooms gives the text: the value of such a
  read, of such a parameter, of a name assigned from one, or a text made of them (stripped, joined, cut, formatted).

The search goes by names and imports. It does not follow the text through dicts, lists or callbacks.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PACKAGE = "signalbox.agents"
POLICY = "signalbox.toolbox.effects"
KEYS = frozenset({"request", "user_query", "user_input"})
NAMES = KEYS | {"utterance", "user_text", "user_words"}
# A query in PromQL is not the request, even where a person typed nothing else.
QUERIES = frozenset({("metrics", "promql")})
# A tool or an HTTP call has arguments of its own that may bear such a name.
ARGUMENTS = frozenset({"args", "arguments", "kwargs", "options"})
TEXT = frozenset({"str", "str | None", "None | str", "Optional[str]"})
# Methods and functions that give a text made of the text they are called on or with.
KEEPING = frozenset(
    "strip lstrip rstrip lower upper casefold capitalize replace removeprefix removesuffix translate join sub "
    "normalize".split()
)
BUILT_IN = frozenset(name for kind in (str, bytes, list, dict, set, re.Pattern) for name in dir(kind))
HANDING_ON = frozenset({"partial", "to_thread", "run_in_executor"})

Function = ast.FunctionDef | ast.AsyncFunctionDef
FOLLOWED = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.Call | ast.Return
Key = tuple[str, str]
"""A file, and a function, method (`Class.method`) or class in it."""


class Place(NamedTuple):
    """One place that the text reaches: where, and how."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.what}"


@dataclass
class Module:
    """A file: its functions, methods and classes by name, what its names are imported as, and its constants."""

    file: str
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, list[ast.AST]] = field(default_factory=dict)
    """The assignments, calls and returns of each function."""
    lazies: list[str] = field(default_factory=list)
    """What an AGENT names without importing it."""
    reads: list[tuple[int, str]] = field(default_factory=list)
    """The reads of the text: line and key."""
    reading: set[str] = field(default_factory=set)
    """The functions that they stand in."""
    called: set[int] = field(default_factory=set)
    """Expressions that are no reads: what is called, and what is given to the policy of effects at once."""


@dataclass
class Scope:
    """What is known inside one function: the names that hold the text, and the class of those that have one."""

    module: Module
    owner: str
    names: set[str]
    types: dict[str, Key]


class TextFlow:
    """The rooms below a folder, and every parameter and field in them that the text reaches."""

    def __init__(self, agents: Path) -> None:
        self.modules = {file: _read(agents / file, file) for file in _files(agents)}
        self.reached: dict[Key, dict[str, None]] = {}
        self.returning: set[Key] = set()
        self.held: set[tuple[Key, str]] = set()
        """The attributes that a class gives the text to itself: `self.text = text`."""
        self._types: dict[Key, dict[str, Key]] = {}
        self._methods: dict[tuple[str, str], list[Key]] = {}
        for module in self.modules.values():
            for name in module.functions:
                owner, _, method = name.partition(".")
                if owner in module.classes and "." not in method:
                    self._methods.setdefault((module.file.split("/")[0], method), []).append((module.file, name))
        self._begin()
        while self._follow():
            pass

    def places(self) -> list[Place]:
        """Every place that the text reaches, file by file."""
        found = [
            Place(module.file, line, f"reads '{key}'") for module in self.modules.values() for line, key in module.reads
        ]
        for (file, name), parameters in self.reached.items():
            module = self.modules[file]
            node = module.functions.get(name) or module.classes[name]
            found += [Place(file, node.lineno, f"{name}({one}) is given the request") for one in parameters]
        return sorted(found)

    def entry_points(self) -> set[Key]:
        """The functions that a room's `__init__.py` offers to others: those of its AGENT, and its public names."""
        found: set[Key] = set()
        for module in self.modules.values():
            if module.file.count("/") == 1 and module.file.endswith("/__init__.py"):
                names = [*module.imports.values(), *module.lazies]
                found |= {key for name in names if (key := self._find(name)) is not None}
        return found

    def _begin(self) -> None:
        for module in self.modules.values():
            for name, function in module.functions.items():
                for one in _parameters(function):
                    is_text = one.annotation is None or ast.unparse(one.annotation).strip("'\"") in TEXT
                    if one.arg in NAMES and is_text:
                        self._reach((module.file, name), one.arg)

    def _reach(self, key: Key, parameter: str) -> bool:
        known = self.reached.setdefault(key, {})
        is_new = parameter not in known
        known[parameter] = None
        return is_new

    def _follow(self) -> bool:
        """Go once through every function with what is known so far; True if something was found."""
        many = len(self.held)
        found = [self._follow_function(module, name) for module in self.modules.values() for name in module.functions]
        return any(found) or len(self.held) > many

    def _follow_function(self, module: Module, name: str) -> bool:
        # A function inside another sees the names of that one, too.
        outer = name.split(".<inner>.")
        around = [".<inner>.".join(outer[:depth]) for depth in range(1, len(outer) + 1)]
        if not any(self._may_hold(module, one) for one in around):
            return False
        scope = Scope(module, name, set(), {})
        for one in around:
            self._enter(scope, one)
        is_new = False
        for node in module.nodes[name]:
            if isinstance(node, ast.Call):
                is_new |= self._follow_call(node, scope)
            elif isinstance(node, ast.Return) and node.value is not None and self._is_text(node.value, scope):
                is_new |= (module.file, name) not in self.returning
                self.returning.add((module.file, name))
        return is_new

    def _enter(self, scope: Scope, name: str) -> None:
        function = scope.module.functions[name]
        given = self.reached.get((scope.module.file, name), {})
        for one in _parameters(function):
            (scope.names.add if one.arg in given else scope.names.discard)(one.arg)
        scope.types |= self._types_of(scope.module, name)
        before = -1
        while before != len(scope.names) + len(scope.types):
            before = len(scope.names) + len(scope.types)
            for node in scope.module.nodes[name]:
                self._follow_assignment(node, scope)

    def _may_hold(self, module: Module, name: str) -> bool:
        """False for a function that neither reads nor is given the text, nor a thing that holds it."""
        if name in module.reading or (module.file, name) in self.reached:
            return True
        holders = {one for one, _ in self.held}
        return any(one in self.reached or one in holders for one in self._types_of(module, name).values())

    def _types_of(self, module: Module, name: str) -> dict[str, Key]:
        """The classes of a function's parameters."""
        if (module.file, name) not in self._types:
            given = {one.arg: self._class_of(one.annotation, module) for one in _parameters(module.functions[name])}
            if "self" in given:
                given["self"] = self._local(module, name.split(".")[0])
            self._types[module.file, name] = {arg: found for arg, found in given.items() if found is not None}
        return self._types[module.file, name]

    def _follow_assignment(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, scope)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value, scope)

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other, scope)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            if target.value.id in scope.types and self._is_text(value, scope):
                self.held.add((scope.types[target.value.id], target.attr))
        elif isinstance(target, ast.Name):
            if self._is_text(value, scope):
                scope.names.add(target.id)
            made = self._called(value.func, scope) if isinstance(value, ast.Call) else None
            if made is not None and made[1] in self.modules[made[0]].classes:
                scope.types[target.id] = made

    def _follow_call(self, call: ast.Call, scope: Scope) -> bool:
        called, given = self._called(call.func, scope), list(call.args)
        if _last_name(call.func) in HANDING_ON:
            at = next((n for n, one in enumerate(given) if self._called(one, scope) is not None), None)
            if at is not None:
                called, given = self._called(given[at], scope), given[at + 1 :]
        if called is None:
            return False
        made = f"{called[1]}.__init__"
        called = (called[0], made) if made in self.modules[called[0]].functions else called
        names = self._takes(called)
        room = called[0].split("/")[0]
        names = [name if (room, name) not in QUERIES else "" for name in names]
        pairs = [(names[n], one) for n, one in enumerate(given) if n < len(names) and names[n]]
        pairs += [(one.arg, one.value) for one in call.keywords if one.arg in names]
        found = [self._reach(called, name) for name, one in pairs if self._is_text(one, scope)]
        return any(found)

    def _takes(self, key: Key) -> list[str]:
        """The parameters of a function, or the fields of a class, in the order in which they are given."""
        module = self.modules[key[0]]
        if key[1] in module.functions:
            names = [one.arg for one in _parameters(module.functions[key[1]])]
            return names[1:] if names[:1] in (["self"], ["cls"]) else names
        fields = [one.target for one in module.classes[key[1]].body if isinstance(one, ast.AnnAssign)]
        return [one.id for one in fields if isinstance(one, ast.Name)]

    def _is_text(self, node: ast.expr, scope: Scope) -> bool:
        """True if an expression is the text of the request, or a text made of it."""
        if isinstance(node, ast.Name):
            return node.id in scope.names
        if _key_read(node, scope.module) is not None:
            return True
        if isinstance(node, ast.Attribute):
            held = scope.types.get(node.value.id) if isinstance(node.value, ast.Name) else None
            return held is not None and (node.attr in self.reached.get(held, {}) or (held, node.attr) in self.held)
        if isinstance(node, ast.Call):
            return self._gives_text(node, scope)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._is_text(node.value, scope)
        return any(self._is_text(part, scope) for part in _parts(node))

    def _gives_text(self, call: ast.Call, scope: Scope) -> bool:
        given = [*call.args, *(one.value for one in call.keywords)]
        name = _last_name(call.func)
        if name in KEEPING or name == "str":
            inner = [one for arg in given for one in (arg.elts if isinstance(arg, ast.List | ast.Tuple) else [arg])]
            on = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            return any(self._is_text(one, scope) for one in (*on, *inner))
        called = self._called(call.func, scope)
        return called in self.returning and any(self._is_text(one, scope) for one in given)

    def _called(self, node: ast.expr, scope: Scope) -> Key | None:
        """The function or class of a room that an expression names."""
        if isinstance(node, ast.Name):
            inner = f"{scope.owner}.<inner>.{node.id}"
            return (scope.module.file, inner) if inner in scope.module.functions else self._local(scope.module, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            held = scope.types.get(node.value.id)
            if held is not None:
                method = f"{held[1]}.{node.attr}"
                return (held[0], method) if method in self.modules[held[0]].functions else None
            if node.value.id in scope.module.imports:
                return self._find(f"{scope.module.imports[node.value.id]}.{node.attr}")
            local = self._local(scope.module, f"{node.value.id}.{node.attr}")
            if local is not None:
                return local
        return self._only_method(node.attr, scope.module) if isinstance(node, ast.Attribute) else None

    def _only_method(self, name: str, module: Module) -> Key | None:
        """The one method of this name in a room, for a call on something whose class is not known."""
        room = module.file.split("/")[0]
        found = self._methods.get((room, name), ())
        return found[0] if len(found) == 1 and name not in BUILT_IN else None

    def _local(self, module: Module, name: str) -> Key | None:
        if name in module.functions or name in module.classes:
            return module.file, name
        return self._find(module.imports[name]) if name in module.imports else None

    def _find(self, full: str, depth: int = 4) -> Key | None:
        """The function or class of this full name, through the `__init__.py` that hands it on."""
        home, _, name = full.removeprefix(f"{PACKAGE}.").rpartition(".")
        if not full.startswith(f"{PACKAGE}.") or not home or not depth:
            return None
        path = home.replace(".", "/")
        module = self.modules.get(f"{path}.py") or self.modules.get(f"{path}/__init__.py")
        if module is None:
            return None
        if name in module.functions or name in module.classes:
            return module.file, name
        return self._find(module.imports[name], depth - 1) if name in module.imports else None

    def _class_of(self, annotation: ast.expr | None, module: Module) -> Key | None:
        if isinstance(annotation, ast.BinOp):
            return self._class_of(annotation.left, module) or self._class_of(annotation.right, module)
        found = self._local(module, annotation.id) if isinstance(annotation, ast.Name) else None
        return found if found is not None and found[1] in self.modules[found[0]].classes else None


def _files(agents: Path) -> list[str]:
    return sorted(path.relative_to(agents).as_posix() for path in agents.rglob("*.py"))


def _read(path: Path, file: str) -> Module:
    module, tree = Module(file), ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            module.constants |= {one.id: node.value.value for one in node.targets if isinstance(one, ast.Name)}
    _visit(tree, module, "", "")
    return module


def _visit(node: ast.AST, module: Module, prefix: str, function: str) -> None:
    """Note what stands below a node, in the function of this name; `prefix` begins the names of what it defines."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            module.imports |= _imported(child, module.file)
        elif isinstance(child, ast.ClassDef):
            module.classes[child.name] = child
            _visit(child, module, f"{child.name}.", function)
        elif isinstance(child, Function):
            name = f"{prefix}{child.name}"
            module.functions[name], module.nodes[name] = child, []
            _visit(child, module, f"{name}.<inner>.", name)
        else:
            _note(child, module, function)
            _visit(child, module, prefix, function)


def _note(node: ast.AST, module: Module, function: str) -> None:
    if function and isinstance(node, FOLLOWED):
        module.nodes[function].append(node)
    if isinstance(node, ast.JoinedStr):
        # lazy(f"{__name__}.conversation:start_state")
        said = "".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
        if said.startswith(".") and ":" in said:
            module.lazies.append(f"{_package(module.file)}{said.replace(':', '.')}")
    elif isinstance(node, ast.Call):
        module.called.add(id(node.func))
        if module.imports.get(_last_name(node.func), "").startswith(f"{POLICY}."):
            given = (*node.args, *(one.value for one in node.keywords))
            module.called |= {id(part) for one in given for part in ast.walk(one)}
    if id(node) not in module.called and (key := _key_read(node, module)) is not None:
        module.reads.append((getattr(node, "lineno", 0), key))
        module.reading.add(function)


def _package(file: str) -> str:
    return ".".join([PACKAGE, *file.split("/")[:-1]])


def _imported(node: ast.Import | ast.ImportFrom, file: str) -> dict[str, str]:
    """The full name behind each name that an import brings."""
    if isinstance(node, ast.Import):
        return {one.asname: one.name for one in node.names if one.asname}
    package = _package(file).split(".")
    base = package[: len(package) - node.level + 1] if node.level else []
    stem = ".".join([*base, *([node.module] if node.module else [])])
    return {one.asname or one.name: f"{stem}.{one.name}" for one in node.names}


def _key_read(node: ast.AST, module: Module) -> str | None:
    """The key of the text that an expression reads from a state, by item, `get` or attribute."""
    key: str | None = None
    on: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        key, on = _constant(node.slice, module), node.value
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        key, on = node.attr, node.value
    elif isinstance(node, ast.Call) and node.args:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault"):
            key, on = _constant(node.args[0], module), node.func.value
        elif _last_name(node.func) == "getattr" and len(node.args) > 1:
            key, on = _constant(node.args[1], module), node.args[0]
    return key if key in KEYS and not (isinstance(on, ast.Name) and on.id in ARGUMENTS) else None


def _constant(node: ast.expr, module: Module) -> str | None:
    if isinstance(node, ast.Name):
        return module.constants.get(node.id)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _parameters(function: Function) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _parts(node: ast.expr) -> list[ast.expr]:
    """The expressions of which one gives the value, or which together make up a text."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.JoinedStr) and not any(_has_words(one) for one in node.values):
        return [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
    return [node.value] if isinstance(node, ast.Await | ast.NamedExpr | ast.Starred) else []


def _has_words(part: ast.expr) -> bool:
    """True for words of our own in a formatted text: with them it is another text, such as an error's."""
    return isinstance(part, ast.Constant) and any(letter.isalnum() for letter in str(part.value))


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
