"""What a reader of a drawn map can count on."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import pytest
from rich.console import Console

from signalbox.maps.draw import to_mermaid, to_svg, to_table
from signalbox.maps.draw.table import next_lines, short_prompt
from signalbox.maps.spec import GraphSpec, NodeSpec

SVG = "{http://www.w3.org/2000/svg}"
NAMES = [
    "end",
    "graph",
    'say "hi"',
    "a[b]{c}(d)",
    "日本語 ノード",
    "<b>&amp;</b>",
    "1. first",
    "- item",
    "`code`",
    "#quot;",
    "x|y;z",
    "a --> b",
    "%%{init}%%",
    "$$x$$",
    "back\\n",
    "two\nlines",
    "bell\x07",
    "it's 😀",
]


def graph(*nodes: NodeSpec, name: str = "G") -> GraphSpec:
    return GraphSpec(name, nodes)


def chain(length: int) -> GraphSpec:
    names = [f"step {i}" for i in range(length)]
    return graph(*(NodeSpec(a, edge=(b,)) for a, b in zip(names, [*names[1:], "End"], strict=True)))


def guarded() -> GraphSpec:
    steps = ["receive", "check", "score", "store"]
    rows = [
        NodeSpec(a, success_next=(b,), failure_next=("mend",)) for a, b in zip(steps, [*steps[1:], "End"], strict=True)
    ]
    return graph(*rows, NodeSpec("mend", "failure"))


def tangled(seed: int, count: int = 40) -> GraphSpec:
    chance = random.Random(seed)
    names = [f"node_{i}" for i in range(count)]
    rows = []
    for i, name in enumerate(names):
        near = names[max(0, i - 4) : i + 6]
        rows.append(NodeSpec(name, success_next=tuple(chance.sample(near, 2)), failure_next=(chance.choice(names),)))
    return graph(*rows)


# Mermaid


def label_text(label: str) -> str:
    return re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label).replace("\u200b", "")


def test_any_name_becomes_a_label_that_means_nothing_to_mermaid() -> None:
    spec = graph(*(NodeSpec(name, f"type {name}") for name in NAMES), name='The "graph" #1')
    lines = to_mermaid(spec).splitlines()
    assert lines[1] == 'title: "The \\"graph\\" #1"'
    labels = [m for line in lines if (m := re.match(r'    n\d+\["(.*)<br/><small>(.*)</small>"\]$', line))]
    assert [label_text(m[1]) for m in labels] == [name.replace("\n", " ").replace("\x07", "") for name in NAMES]
    for label in labels:
        assert not re.search(r'["<>{}()|;`$\\*&\[\]]', re.sub(r"#\d+;", "", label[1] + label[2]))


def test_every_line_of_mermaid_is_a_box_an_arrow_or_a_style() -> None:
    box = r'n\d+[\[({]+"[^"]+"[\])}]+(:::\w+)?'
    arrow = r"n\d+ (-->|-->\|success\||-\.->\|failure\||-\.->) n\d+"
    allowed = re.compile(rf"    ({box}|{arrow}|classDef \w+ [\w:#, -]+|linkStyle [\d,]+ [\w:#, -]+)")
    for spec in (guarded(), tangled(1), chain(3), graph(NodeSpec("a", "human", edge=("func:f", "Nowhere")))):
        lines = to_mermaid(spec).splitlines()
        assert lines[3] == "flowchart TD"
        assert [line for line in lines[4:] if not allowed.fullmatch(line)] == []


def test_success_failure_and_plain_arrows_differ() -> None:
    text = to_mermaid(
        graph(NodeSpec("a", success_next=("b",), failure_next=("c",)), NodeSpec("b", edge=("c",)), NodeSpec("c"))
    )
    assert "n1 -->|success| n2" in text
    assert "n1 -.->|failure| n3" in text
    assert "n2 --> n3" in text


def test_parallel_targets_are_several_arrows() -> None:
    text = to_mermaid(graph(NodeSpec("a", edge=("b", "c")), NodeSpec("b"), NodeSpec("c")))
    assert "n1 --> n2" in text
    assert "n1 --> n3" in text


def test_entry_and_end_are_marked() -> None:
    text = to_mermaid(graph(NodeSpec("only")))
    assert 'n0(("start"))' in text
    assert "n0 --> n1" in text
    assert 'n2((("end")))' in text
    assert "n1 --> n2" in text


@pytest.mark.parametrize("word", ["end", "End", "END", "__end__"])
def test_a_target_without_a_row_that_means_the_end_leads_to_the_end(word: str) -> None:
    assert to_mermaid(graph(NodeSpec("a", edge=(word,)))) == to_mermaid(graph(NodeSpec("a")))


def test_a_row_named_end_is_a_node_like_any_other() -> None:
    text = to_mermaid(graph(NodeSpec("a", edge=("End",)), NodeSpec("End", "echo")))
    assert 'n2["End<br/><small>echo</small>"]' in text
    assert "n1 --> n2" in text


def test_a_routing_function_is_a_diamond_with_its_branches() -> None:
    text = to_mermaid(
        graph(
            NodeSpec("a", edge=("func:choose",), success_next=("b",), failure_next=("c",)),
            NodeSpec("b"),
            NodeSpec("c"),
        )
    )
    assert 'n4{"choose"}' in text
    assert "n4 -->|success| n2" in text
    assert "n4 -.->|failure| n3" in text


def test_an_orchestrator_points_to_the_nodes_it_may_choose() -> None:
    rows = (NodeSpec("b"), NodeSpec("c"), NodeSpec("d"))
    named = to_mermaid(graph(NodeSpec("a", "Orchestrator", context={"nodes": "b|d"}), *rows))
    assert [line.strip() for line in named.splitlines() if " -.-> " in line] == ["n1 -.-> n2", "n1 -.-> n4"]
    free = to_mermaid(graph(NodeSpec("a", "orchestrator"), *rows))
    assert free.count(" -.-> ") == 3


def test_people_and_subgraphs_have_shapes_of_their_own() -> None:
    text = to_mermaid(graph(NodeSpec("a", "HumanAgent"), NodeSpec("b", "GraphAgent"), NodeSpec("c", "input")))
    assert 'n1(["a' in text
    assert 'n2[["b' in text
    assert 'n3(["c' in text


# SVG


def boxes(root: ElementTree.Element) -> Iterator[tuple[float, float, float, float]]:
    """Left, top, right and bottom of every rectangular box."""
    for group in root.iter(f"{SVG}g"):
        frame = group.find(f"{SVG}rect")
        if frame is not None:
            x, y = map(float, re.findall(r"[-\d.]+", group.attrib["transform"]))
            w, h = float(frame.attrib["width"]), float(frame.attrib["height"])
            yield x - w / 2, y - h / 2, x + w / 2, y + h / 2


def points(path: str) -> Iterator[tuple[float, float]]:
    """Points along a path of straight lines and cubic curves."""
    here = (0.0, 0.0)
    for command, numbers in re.findall(r"([MLC])([-\d. ]+)", path):
        values = [float(number) for number in numbers.split()]
        ends = list(zip(values[::2], values[1::2], strict=True))
        a, b, c, d = (here, here, ends[-1], ends[-1]) if command != "C" else (here, *ends)
        for i in range(21) if command != "M" else ():
            t = i / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            yield tuple(sum(w * p[k] for w, p in zip(weights, (a, b, c, d), strict=True)) for k in (0, 1))  # type: ignore[misc]
        here = ends[-1]


def classes(root: ElementTree.Element, tag: str = "path") -> list[str]:
    return [element.attrib.get("class", "") for element in root.iter(SVG + tag)]


def test_a_picture_is_valid_xml_with_a_size_whatever_the_names() -> None:
    root = ElementTree.fromstring(to_svg(graph(*(NodeSpec(name, name) for name in NAMES), name="<&\"'>")))
    width, height = root.attrib["width"], root.attrib["height"]
    assert root.attrib["viewBox"] == f"0 0 {width} {height}"
    shown = {text.text for text in root.iter(f"{SVG}text")}
    assert {'say "hi"', "日本語 ノード", "<b>&amp;</b>", "two lines", "<&\"'>"} <= shown


def test_a_picture_shows_the_name_and_type_of_every_node() -> None:
    root = ElementTree.fromstring(
        to_svg(graph(NodeSpec("fetch", "csv_reader", edge=("tell",)), NodeSpec("tell", "echo")))
    )
    shown = [text.text for text in root.iter(f"{SVG}text")]
    assert shown == ["G", "fetch", "csv_reader", "tell", "echo"]


def test_a_name_too_long_for_its_box_is_cut_and_kept_whole_in_the_tooltip() -> None:
    name = "a very long name " * 10
    root = ElementTree.fromstring(to_svg(graph(NodeSpec(name))))
    shown = next(text.text for text in root.iter(f"{SVG}text") if text.attrib["class"] == "name")
    assert shown is not None
    assert shown.endswith("…")
    assert any(title.text and title.text.startswith(name.strip()) for title in root.iter(f"{SVG}title"))


def test_arrows_show_what_they_mean_and_the_legend_says_so() -> None:
    root = ElementTree.fromstring(to_svg(guarded()))
    assert {"line success", "line failure", "line plain"} <= set(classes(root))
    legend = [text.text for text in root.iter(f"{SVG}text") if text.attrib["class"] == "key"]
    assert legend == ["on success", "on failure"]


def test_a_picture_without_conditions_has_no_legend() -> None:
    root = ElementTree.fromstring(to_svg(chain(3)))
    assert "key" not in classes(root, "text")


@pytest.mark.parametrize("spec", [guarded(), *(tangled(seed) for seed in range(6)), chain(12)])
def test_no_line_runs_through_a_box(spec: GraphSpec) -> None:
    root = ElementTree.fromstring(to_svg(spec))
    drawing = root.find(f"{SVG}g")
    assert drawing is not None
    frames = list(boxes(root))
    assert len(frames) == len(spec)
    lines = [path.attrib["d"] for path in drawing.findall(f"{SVG}path") if "line" in path.attrib["class"]]
    inside = [
        (x, y)
        for line in lines
        for x, y in points(line)
        for left, top, right, bottom in frames
        if left + 2 < x < right - 2 and top + 2 < y < bottom - 2
    ]
    assert inside == []


@pytest.mark.parametrize("spec", [guarded(), *(tangled(seed) for seed in range(6))])
def test_boxes_do_not_touch_and_lie_on_the_page(spec: GraphSpec) -> None:
    root = ElementTree.fromstring(to_svg(spec))
    frames = list(boxes(root))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(a >= 0 and b >= 0 and c <= width and d <= height for a, b, c, d in frames)
    for i, (a, b, c, d) in enumerate(frames):
        assert not [f for f in frames[i + 1 :] if a < f[2] and f[0] < c and b < f[3] and f[1] < d]


def test_a_node_that_fails_to_itself_has_an_arrow() -> None:
    once = classes(ElementTree.fromstring(to_svg(graph(NodeSpec("a", success_next=("End",), failure_next=("a",))))))
    assert once.count("head failure") == 1


def test_nodes_in_a_circle_are_drawn_from_the_entry_down() -> None:
    root = ElementTree.fromstring(
        to_svg(graph(NodeSpec("a", edge=("b",)), NodeSpec("b", edge=("c",)), NodeSpec("c", edge=("a",))))
    )
    tops = [top for _, top, _, _ in boxes(root)]
    assert tops == sorted(tops)


def test_a_wide_fan_reads_from_left_to_right() -> None:
    names = tuple(f"worker {i}" for i in range(20))
    root = ElementTree.fromstring(to_svg(graph(NodeSpec("plan", edge=names), *(NodeSpec(n) for n in names))))
    assert float(root.attrib["width"]) < float(root.attrib["height"])


@pytest.mark.parametrize("spec", [graph(), graph(NodeSpec("one")), chain(1000), tangled(3, 1000)])
def test_a_map_of_any_size_can_be_drawn(spec: GraphSpec) -> None:
    assert len(list(boxes(ElementTree.fromstring(to_svg(spec))))) == len(spec)


def test_the_same_map_gives_the_same_picture() -> None:
    assert to_svg(tangled(5)) == to_svg(tangled(5))


# Table


def printed(spec: GraphSpec, width: int = 80) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(to_table(spec))
    return capture.get()


def test_a_table_marks_the_entry_and_both_branches() -> None:
    text = printed(graph(NodeSpec("ask", "input", outputs=("q",), success_next=("b", "c"), failure_next=("d",))))
    assert re.search(r"▶ 1\s+ask\s+input\s+q\s+✓ b \| c", text)
    assert "✗ d" in text
    assert "starts at ask; 1 node." in text


def test_a_table_fits_eighty_columns_and_loses_no_name() -> None:
    node = NodeSpec(
        "summarise_the_incident_report",
        "vector_reader",
        prompt="Write a short summary of {incident} and name its likely cause.",
        inputs=("incident", "runbook_text:book"),
        outputs=("summary", "likely_cause"),
        success_next=("notify_the_whole_team", "archive"),
        failure_next=("handle_error",),
    )
    lines = printed(graph(node)).splitlines()
    assert max(map(len, lines)) <= 80
    node_column = "".join(line[6:20].strip() for line in lines)
    assert "summarise_the_incident_report" in node_column


def test_markup_in_a_name_is_shown_and_not_obeyed() -> None:
    assert "[red]x[/red]" in printed(graph(NodeSpec("[red]x[/red]", edge=("[bold]y",))), 120)


def test_next_says_the_end_and_the_choices() -> None:
    spec = graph(NodeSpec("a", "orchestrator", failure_next=("c",)), NodeSpec("b"), NodeSpec("c"))
    assert next_lines(spec.node("a"), spec) == ["? b | c", "✗ c"]
    assert next_lines(spec.node("b"), spec) == ["end"]


def test_a_long_prompt_is_shortened() -> None:
    assert short_prompt(NodeSpec("a", prompt="one two three four"), 10) == "one two t…"


def test_drawing_does_not_load_rich() -> None:
    code = "import sys, signalbox.maps.draw; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
