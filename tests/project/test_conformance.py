"""The command that runs the Array API suite, on a suite of two modules that is made here."""

from __future__ import annotations

import json
import subprocess

import pytest

from conformance import suite as suites
from conformance.__main__ import main, parse_arguments
from conformance.checkout import CheckoutError, commit_of
from conformance.page import as_markdown, report
from conformance.recorder import causes
from conformance.results import count, last_words, parse, reason, total
from conformance.run import Options, Run, command, environment
from conformance.suite import find_suite, module_file

OPTIONS = Options(library="math", api_version="2025.12", examples=7, workers=0, policy="never")

CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int)
    parser.addoption("--disable-deadline", action="store_true")
    parser.addoption("--derandomize", action="store_true")
    parser.addoption("--skips-file")
    parser.addoption("--xfails-file")
"""
GOOD = """
import os
import pytest

def test_sees_what_was_chosen(request):
    assert request.config.getoption("--max-examples") == 7
    assert os.environ["ARRAY_API_TESTS_MODULE"] == "math"
    assert os.environ["ARRAY_API_TESTS_VERSION"] == "2025.12"
    assert os.environ["JUJUNP_POLICY"] == "never"
    assert os.environ["JUJUNP_STRICT"] == "1"
    assert "ARRAY_API_TESTS_SKIP_DTYPES" not in os.environ

@pytest.mark.skip(reason="no")
def test_skipped():
    raise AssertionError

@pytest.mark.xfail
def test_xfailed():
    raise AssertionError
"""
BAD = """
import pytest
from hypothesis import Phase, given, settings, strategies

@given(strategies.integers())
@settings(database=None)
def test_number(x):
    assert x < 10, f"shrinks: {Phase.shrink in settings.default.phases} at 0x7f12 | large"

@pytest.fixture
def broken():
    raise OSError("nothing there")

def test_error(broken):
    pass
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A suite with a good and a bad module, which the variable names."""
    folder = tmp_path / "suite"
    tests = folder / "array_api_tests"
    tests.mkdir(parents=True)
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tests / "test_good.py").write_text(GOOD, encoding="utf-8")
    (tests / "test_bad.py").write_text(BAD, encoding="utf-8")
    monkeypatch.setenv(suites.VARIABLE, str(folder))
    monkeypatch.setenv("ARRAY_API_TESTS_SKIP_DTYPES", "uint8")
    return folder


@pytest.fixture
def conformance(tmp_path):
    """Run the command; return its exit status, and the JSON and the page that it wrote."""

    def run(*arguments):
        numbers, page = tmp_path / "out.json", tmp_path / "new" / "out.md"
        chosen = ["--library=math", "--examples=7", "--policy=never", "--workers=0"]
        status = main([*chosen, f"--json={numbers}", f"--markdown={page}", *arguments])
        if not numbers.exists():
            return status, None, None
        return status, json.loads(numbers.read_text("utf-8")), page.read_text("utf-8")

    return run


def line(name, outcome, *found, details=""):
    return json.dumps(
        {"name": name, "outcome": outcome, "seconds": 0.1, "causes": found, "details": details}
    )


def git(folder, *arguments):
    who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("arguments", "shrinks"), [([], True), (["--workers=1", "--no-shrink"], False)]
)
def test_failures_are_reported(suite, conformance, capsys, arguments, shrinks):
    status, numbers, page = conformance(*arguments)
    assert status == 1
    assert numbers["total"] == {"passed": 1, "failed": 1, "skipped": 1, "xfailed": 1, "error": 1}
    assert list(numbers["modules"]) == ["bad", "good"]
    error, failure = numbers["failures"]
    assert error["test"] == "array_api_tests/test_bad.py::test_error"
    assert error["reason"] == "OSError: nothing there"
    assert failure["reason"] == f"AssertionError: shrinks: {shrinks} | large"
    assert "test_bad.py" in failure["details"]
    assert numbers["cpu seconds"] > 0
    assert "| bad | 0 | 1 | 0 | 0 | 1 |\n| good | 1 | 0 | 1 | 1 | 0 |\n" in page
    assert "| all | 1 | 1 | 1 | 1 | 1 |" in page
    assert (
        f"| `test_bad.py::test_number` | `AssertionError: shrinks: {shrinks} \\| large` |" in page
    )
    assert "1 passed, 1 failed, 1 skipped, 1 xfailed, 1 error" in capsys.readouterr().out


def test_one_module_without_failures(suite, conformance):
    status, numbers, page = conformance("--module=good")
    assert status == 0
    assert list(numbers["modules"]) == ["good"]
    assert numbers["failures"] == []
    assert "passes 1 of the 1 tests that ran" in page
    assert "\nNone.\n" in page


def test_module_that_cannot_be_imported_is_an_error(suite, conformance):
    (suite / "array_api_tests" / "test_import.py").write_text("import nonesuch_", encoding="utf-8")
    status, numbers, _ = conformance()
    assert status == 1
    assert numbers["modules"]["import"]["error"] == 1
    reasons = [failure["reason"] for failure in numbers["failures"]]
    assert "ModuleNotFoundError: No module named 'nonesuch_'" in reasons


def test_what_keeps_pytest_from_running_is_told(suite, conformance, capsys):
    (suite / "conftest.py").write_text("import nonesuch_", encoding="utf-8")
    assert conformance() == (2, None, None)
    assert "No module named 'nonesuch_'" in capsys.readouterr().err


def test_process_that_dies_is_no_success(suite, conformance, capsys):
    text = "import os\ndef test_end(): os._exit(0)\n"
    (suite / "array_api_tests" / "test_good.py").write_text(text, encoding="utf-8")
    (suite / "array_api_tests" / "test_bad.py").unlink()
    assert conformance()[0] == 2
    assert "did not run the tests" in capsys.readouterr().err


def test_unknown_module_and_folder(suite, conformance, capsys, monkeypatch):
    assert conformance("--module=d")[0] == 2
    assert conformance("--module=ugly")[0] == 2
    assert "'ugly' means 0 modules of bad, good" in capsys.readouterr().err
    monkeypatch.setenv(suites.VARIABLE, str(suite / "array_api_tests"))
    assert conformance()[0] == 2
    assert f"{suites.VARIABLE} names " in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["ba", "bad", "test_bad", "test_bad.py", "array_api_tests/test_bad.py"]
)
def test_names_of_a_module(suite, name):
    assert module_file(suite, name) == "array_api_tests/test_bad.py"


def test_without_suite_and_network(tmp_path, monkeypatch, conformance, capsys):
    monkeypatch.delenv(suites.VARIABLE, raising=False)
    monkeypatch.setenv("JUJUNP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(suites, "URL", f"file://{tmp_path}/nowhere")
    assert conformance()[0] == 2
    message = capsys.readouterr().err
    assert "cannot be cloned" in message
    assert "fatal: " in message  # what git said
    assert f"Set {suites.VARIABLE} to a checkout" in message
    assert list((tmp_path / "cache").iterdir()) == []


def test_suite_is_cloned_once(suite, tmp_path, monkeypatch):
    git(suite, "init", "--quiet")
    git(suite, "add", ".")
    git(suite, "commit", "--quiet", "-m", "one")
    commit = git(suite, "rev-parse", "HEAD")
    git(suite, "commit", "--quiet", "--allow-empty", "-m", "two")
    monkeypatch.delenv(suites.VARIABLE)
    monkeypatch.setenv("JUJUNP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(suites, "URL", f"file://{suite}")
    monkeypatch.setattr(suites, "COMMIT", "0" * 40)
    with pytest.raises(CheckoutError, match="cannot be cloned"):
        find_suite()  # the clone is there, but not the commit
    monkeypatch.setattr(suites, "COMMIT", commit)
    found = find_suite()
    assert found == tmp_path / "cache" / f"array-api-tests-{commit}"
    assert commit_of(found) == commit
    assert list(suites.module_files(found)) == ["bad", "good"]
    assert list(found.parent.iterdir()) == [found]
    monkeypatch.setattr(suites, "URL", "file:///nowhere")
    assert find_suite() == found


def test_commit_of_what_is_no_checkout(suite):
    assert commit_of(suite) == "unknown"


def test_only_a_whole_run_of_jujunp_writes_files_unasked():
    whole = parse_arguments([])
    assert whole.markdown.parts[-2:] == ("docs", "conformance.md")
    assert whole.json.parts[-2:] == ("build", "conformance.json")
    assert (whole.examples, whole.policy, whole.api_version) == (100, "auto", "2025.12")
    for arguments in (["--module=fft"], ["--library=numpy"]):
        part = parse_arguments(arguments)
        assert part.markdown is part.json is None


@pytest.mark.parametrize("argument", ["--workers=-1", "--examples=0", "--policy=often"])
def test_bad_arguments(argument, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse_arguments([argument])
    assert "invalid" in capsys.readouterr().err


def test_command_and_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    words = command(tmp_path, "array_api_tests", OPTIONS)
    assert "-n" not in words
    assert {"no:cacheprovider", "--disable-deadline", "--derandomize", "--skips-file="} <= {*words}
    assert "PYTEST_ADDOPTS" not in environment(OPTIONS, tmp_path, tmp_path / "lines")


def test_worst_result_of_a_test_counts():
    lines = [
        line("array_api_tests/test_b.py::test_y", "passed"),
        line("array_api_tests/test_b.py::test_y", "error", "ValueError: in teardown"),
        line("array_api_tests/test_a.py::test_x[1]", "failed", "A: b", "A: b", "C: d\nmore"),
        line("array_api_tests/test_a.py::test_w", "failed", details="worker 'gw0' crashed"),
    ]
    results = parse("\n".join([*lines, '{"name": "array_api_te']))
    assert [(result.module, result.outcome, result.reason) for result in results] == [
        ("a", "failed", "worker 'gw0' crashed"),
        ("a", "failed", "A: b; C: d"),
        ("b", "error", "ValueError: in teardown"),
    ]
    assert total(count(results))["failed"] == 2


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        ("", ""),
        ("ValueError", "ValueError"),
        ("AssertionError: 1 is 2\nassert 1 == 2\n + where", "AssertionError: 1 is 2"),
        (
            "AssertionError: assert False\n +  where False = f(<g at 0x7f00>)\n +    where g\n"
            "=== FAILING CODE SNIPPET:\nxp.f(3)\n===",
            "AssertionError: assert False, where False = f(<g>), xp.f(3)",
        ),
        ("E: " + "a" * 300, "E: " + "a" * 193 + " ..."),
    ],
)
def test_reason(cause, text):
    assert reason(cause) == text


def test_last_words():
    assert last_words("x.py:1: in f\nE   ImportError: no\nE   at all") == "ImportError: no"
    assert last_words("EOFError: gone\n\n") == "EOFError: gone"
    assert last_words("") == ""


def test_causes_of_a_group_and_notes():
    noted = ValueError("one")
    noted.add_note("xp.f(1)")
    group = ExceptionGroup("two", [noted, ExceptionGroup("deep", [KeyError()])])
    assert list(causes(group)) == ["ValueError: one\nxp.f(1)", "KeyError"]


def test_page_names_versions():
    page = as_markdown(report(Run([], 12.3), OPTIONS, "abc"))
    for row in ("| math | unknown |", "| suite | abc |", "| processor time | 12 s |"):
        assert row in page
    assert "version 2025.12" in page
    assert "with 7 examples a test" in page
