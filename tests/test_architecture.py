"""The rooms of the house: who may import whom, and how large a room may be (docs/architecture.md)."""

import ast
from importlib import import_module
from pathlib import Path

import svmsieve

SOURCE = Path(svmsieve.__file__).parent

ORDER = (
    "runtime",
    "engine",
    "engine.kernels",
    "engine.solvers",
    "engine.machines",
    "engine.effects",
    "criteria",
    "search",
    "sizing",
    "inputs",
    "scale",
    "ranking",
    "testing",
    "selection",
    "evaluation",
    "strategies",
    "datasets",
    "studies",
    "papers",
    "report",
    "cli",
)
"""From low to high: a layer imports those before it only."""

FACES = {
    "svmsieve.ranking.rank.rank",
    "svmsieve.ranking.curves.response",
    "svmsieve.ranking.chunks.rank_chunks",
    "svmsieve.selection.selector.SVMSieve.__init__",
    "svmsieve.evaluation.nested.nested_evaluate",
    "svmsieve.evaluation.comparison.compare",
    "svmsieve.strategies.forest.FScoreForestSVC.__init__",
    "svmsieve.strategies.forest.ForestRMBoundSVC.__init__",
    "svmsieve.strategies.fscore.FScoreSVC.__init__",
    "svmsieve.datasets.madelon.make_madelon",
    "svmsieve.datasets.reading.read_table",
    "svmsieve.report.content.describe",
    "svmsieve.cli.app.select",
    "svmsieve.cli.app.apply",
    "svmsieve.cli.app.compare",
    "svmsieve.cli.app.reproduce",
}
"""What users call, with options by name: it may have more than eight parameters, and nothing else may but
compiled functions, which take plain arrays."""

HOOKS = {"report"}
"""What a lower layer asks of a higher one by name, without importing it (``svmsieve.runtime.hooks``)."""


def modules():
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = ("svmsieve", *path.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text())
    return found


MODULES = modules()


def imports(name):
    """The package's modules that a module imports anywhere in it, lazily too."""
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{name} imports relatively"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            targets = [each if each in MODULES else node.module for each in inside]
        else:
            continue
        yield from (each for each in targets if each in MODULES and each != name)


GRAPH = {name: sorted(set(imports(name))) for name in MODULES}


def room(name):
    parts = name.split(".")[1:]
    two = ".".join(parts[:2])
    return two if two in ORDER else parts[0] if parts else ""


def test_the_top_level_holds_packages_only():
    assert {path.name for path in SOURCE.glob("*.py")} == {"__init__.py", "__main__.py"}
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == {each.partition(".")[0] for each in ORDER}


def test_folders_that_tests_import_are_packages_of_their_own():
    """Without a file of its own a folder gives way to an installed package of the same name."""
    root = Path(__file__).parents[1]
    roots = {
        target.partition(".")[0]
        for path in (root / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in [getattr(node, "module", None) or node.names[0].name]
    }
    folders = {name for name in roots if (root / name).is_dir()}
    assert folders == {"tests", "benchmarks"}
    assert all((root / name / "__init__.py").exists() for name in folders)


def test_what_the_benchmarks_import_is_there():
    """Nothing else runs them: a name that has moved would be missed when someone measures again."""
    for path in (Path(__file__).parents[1] / "benchmarks").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("svmsieve"):
                for name in (alias.name for alias in node.names):
                    known = hasattr(import_module(node.module), name)
                    assert known or f"{node.module}.{name}" in MODULES, f"{path.name}: {name}"


def test_no_layer_imports_a_higher_one():
    upward = [
        f"{name} -> {target}"
        for name, targets in GRAPH.items()
        if room(name) not in ("", "__main__")
        for target in targets
        if target == "svmsieve" or ORDER.index(room(target)) > ORDER.index(room(name))
    ]
    assert not upward


def test_no_import_goes_round_in_circles():
    done = set()

    def visit(name, way):
        assert name not in way, " -> ".join([*way[way.index(name) :], name])
        if name not in done:
            for target in GRAPH[name]:
                visit(target, [*way, name])
            done.add(name)

    for name in GRAPH:
        visit(name, [])


def test_what_is_asked_of_higher_layers_is_listed():
    asked = {
        node.args[0].value
        for tree in MODULES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "provider"
    }
    assert asked == HOOKS


LAZY = {
    ("svmsieve.cli", "svmsieve.cli.app"),
    ("svmsieve.cli", "svmsieve.cli.early"),
    ("svmsieve.cli", "svmsieve.cli.interrupt"),
    ("svmsieve.datasets.loading", "svmsieve.datasets.archives"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.arff"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.array_files"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.delimited"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.excel"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.feather"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.h5ad"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.json_records"),
    ("svmsieve.datasets.reading", "svmsieve.datasets.parquet"),
    ("svmsieve.datasets.recipes", "svmsieve.datasets.arff"),
    ("svmsieve.papers.results", "svmsieve.papers.drawing"),
    ("svmsieve.ranking.rank", "svmsieve.ranking.chunks"),
    ("svmsieve.ranking.rank", "svmsieve.ranking.collections"),
    ("svmsieve.ranking.rank", "svmsieve.scale.chunks"),
    ("svmsieve.ranking.result", "svmsieve.ranking.plots"),
    ("svmsieve.report.files", "svmsieve.report.html"),
    ("svmsieve.report.files", "svmsieve.report.markdown"),
    ("svmsieve.report.files", "svmsieve.report.plain_values"),
    ("svmsieve.selection.fitted", "svmsieve.selection.plots"),
}
"""Imports inside functions: formats, plots and other machines are met only by some users."""


def test_lazy_imports_of_the_package_are_few_and_known():
    """Of our own modules only these are imported inside functions, for start-up time."""
    lazy = {
        (name, target)
        for name, tree in MODULES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("svmsieve")
        for target in [node.module]
    }
    outside = {pair for pair in lazy if not pair[0].startswith("svmsieve.cli.")}
    assert outside == LAZY


def test_nobody_asks_a_criterion_for_its_type():
    for name, tree in MODULES.items():
        if name == "svmsieve.criteria.registry":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "isinstance",
                "type",
            ):
                words = ast.unparse(node.args[0])
                asked = ast.unparse(node.args[1]) if len(node.args) > 1 else "type"
                about = words.endswith("criterion") and asked != "str"
                assert not about, f"{name}: {ast.unparse(node)}"


def functions():
    for name, tree in MODULES.items():
        stack = [(name, tree)]
        while stack:
            where, node = stack.pop()
            for child in ast.iter_child_nodes(node):
                inner = where
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    inner = f"{where}.{child.name}"
                    if isinstance(child, ast.FunctionDef):
                        yield inner, child
                stack.append((inner, child))


def is_compiled(function):
    words = [ast.unparse(each).partition("(")[0] for each in function.decorator_list]
    return bool({"compiled", "inner"} & set(words))


def lines_of_code(function, lines):
    first = function.body[0]
    skipped = set()
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        skipped = set(range(first.lineno, first.end_lineno + 1))
    kept = (
        lines[i - 1].strip()
        for i in range(first.lineno, function.end_lineno + 1)
        if i not in skipped
    )
    return sum(1 for line in kept if line and not line.startswith("#"))


def test_functions_and_files_are_small():
    for path in SOURCE.rglob("*.py"):
        assert path.read_text().count("\n") <= 350, path
    for name, function in functions():
        module = next(
            each for each in sorted(MODULES, key=len, reverse=True) if name.startswith(each + ".")
        )
        path = SOURCE.joinpath(*module.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        size = lines_of_code(function, path.read_text().split("\n"))
        assert size <= 60, f"{name}: {size} lines"
        arguments = function.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        count = len([each for each in given if each.arg not in ("self", "cls")])
        assert count <= 8 or name in FACES or is_compiled(function), f"{name}: {count} parameters"
