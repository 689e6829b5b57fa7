"""The terminal page of `editgauge label`: edit, places it resembles, results, and keys; the reader's own editor."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from corpora.readings.reading import REASONS
from editcore.errors import UsageError
from editcore.quoting import printable, shown
from editcore.types import File
from harness.labelling.sitting import Sitting
from harness.labelling.texts import edit_text, head_text, places_text, result_texts
from harness.strategies.strategy import by_path

# The reader's own editor on files of a sample: `$VISUAL`, else `$EDITOR`, else vi.

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


def edited(files: Sequence[File]) -> tuple[File, ...]:
    """Open files in the editor, and return them as the reader leaves them.

    The editor gets copies in a temporary folder. They are named by number: a name that a model chose must not reach
    the disk. Raises UsageError if the editor fails, or leaves other files.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        paths = [Path(folder) / f"{number}{_suffix(file.path)}" for number, file in enumerate(files, 1)]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(_bytes(file))
        try:
            code = subprocess.run([*shlex.split(command), *map(str, paths)], check=False).returncode
        except (OSError, ValueError) as error:
            raise UsageError(
                f"The editor {shown(command)} does not start: {error}", "Set EDITOR to the command of one that does."
            ) from None
        if code:
            raise UsageError(f"The editor {shown(command)} ended with code {code}: nothing is taken", "Try again.")
        return tuple(File(file.path, _text(path)) for path, file in zip(paths, files, strict=True))


def _suffix(path: str) -> str:
    """The suffix of a path, by which an editor knows the language; empty for an unusual one."""
    suffix = PurePosixPath(path).suffix
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def _bytes(file: File) -> bytes:
    try:
        return file.content.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{shown(file.path)} has lone surrogates, which no file can hold", "Choose a result, or skip the sample."
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError("The file is not UTF-8 any more: nothing is taken", "Save it as UTF-8.") from None
    except OSError as error:
        raise UsageError(f"The file cannot be read back: {error.strerror}", "Save it where it was.") from None


_MOST_RESULTS = 9
"""Number of results that a key of one digit can choose."""
_END = "All samples of this sitting are shown. u takes the last answer back, p goes back, q ends."


class Why(ModalScreen[str | None]):
    """Dialog for the reason why an edit should be refused. Its result is one of `REASONS`, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back"),
        *(Binding(str(number), f"dismiss('{reason}')", show=False) for number, reason in enumerate(REASONS, 1)),
    ]
    CSS = (
        "Why { align: center middle; } #why { width: 96; max-width: 100%; height: auto; border: round; padding: 1 2; }"
    )

    def compose(self) -> ComposeResult:
        text = Text("Why should it be refused?  (escape: back)\n\n")
        for number, (reason, meaning) in enumerate(REASONS.items(), 1):
            text.append(f" {number} ", style="reverse bold")
            text.append(f"  {reason}: {meaning}\n")
        yield Static(text, id="why")


class Page(App[None]):
    """Shows the samples of a sitting one by one. An answer is kept before the next sample is shown."""

    TITLE = "editgauge label"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #head { height: auto; max-height: 3; padding: 0 1; background: $panel; }
    .title { color: $accent; text-style: bold; padding: 1 1 0 1; }
    .part { padding: 0 1; height: auto; }
    .text { height: auto; }
    #results Static { margin: 0 0 1 0; }
    #said { height: auto; max-height: 3; padding: 0 1; color: $warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "right(1)", "1-9: this result is right"),
        *(Binding(str(number), f"right({number})", show=False) for number in range(2, 10)),
        Binding("r", "refuse", "refuse"),
        Binding("e", "edit", "edit the right result"),
        Binding("s", "skip", "skip"),
        Binding("u", "undo", "undo"),
        Binding("d", "jump", "to the results"),
        Binding("n", "move(1)", "next"),
        Binding("p", "move(-1)", "previous"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        self._shown: set[int] = set()
        """Numbers of the sample's results that have been on the screen."""

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with VerticalScroll(id="body"):
            for name, title in (
                ("edit", "The edit as written"),
                ("places", "Places of the file that it resembles"),
                ("results", "What the strategies make of it"),
            ):
                with Vertical(classes="part"):
                    yield Static(title, classes="title")
                    with Vertical(id=name, classes="text"):
                        yield from (Static() for _ in range(_MOST_RESULTS if name == "results" else 1))
        yield Static(id="said")
        yield Footer()

    def on_mount(self) -> None:
        body = self.query_one("#body", VerticalScroll)
        body.focus()
        self.watch(body, "scroll_y", self._scrolled, init=False)
        self._show()

    def _show(self, said: str = "") -> None:
        """Show the sitting's sample, and a line about the last action."""
        sitting, case = self.sitting, self.sitting.case
        self._shown.clear()
        boxes = {name: self.query_one(f"#{name}", Static) for name in ("head", "said")}
        boxes["said"].update(Text(printable(said)))
        if case is None:
            n = len(sitting.samples)
            boxes["head"].update(Text(f"{sitting.n_answered:,} of {n:,} answered\n{_END}", style="bold"))
            self._fill()
            return
        boxes["head"].update(
            head_text(case.sample, sitting.at, len(sitting.samples), sitting.n_answered, sitting.reading)
        )
        self._fill(edit=[edit_text(case.sample)], places=[places_text(case.sample)], results=result_texts(case))
        self.query_one("#body", VerticalScroll).scroll_home(animate=False)
        self.call_after_refresh(self._note_shown)

    def _fill(self, **texts: Sequence[Text]) -> None:
        """Fill the boxes below each title. Boxes without a text are hidden; the last box gets all remaining texts."""
        for name in ("edit", "places", "results"):
            boxes = list(self.query(f"#{name} Static").results(Static))
            some = texts.get(name, ())
            for at, box in enumerate(boxes):
                box.update(Text.assemble(*(some[at:] if at + 1 == len(boxes) else some[at : at + 1])))
                box.display = at < len(some)

    def _scrolled(self) -> None:
        self.call_after_refresh(self._note_shown)

    def _note_shown(self) -> None:
        """Remember the results that are on the screen: whole, or as much of them as fits."""
        view = self.query_one("#body", VerticalScroll).region
        for number, box in enumerate(self.query("#results Static").results(Static), 1):
            place = box.region
            if box.display and view.y <= place.y and place.y + min(place.height, view.height) <= view.bottom:
                self._shown.add(number)

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(Text(printable(text)))

    def action_right(self, number: int) -> None:
        """Keep that the result of this number is right. If it is a refusal, keep that refusing is right."""
        case = self.sitting.case
        if case is None:
            return
        if number > len(case.results):
            self._say(f"There is no result {number}.")
            return
        if number not in self._shown:
            # The reader must have seen the result: once saved, a blind answer looks like any other.
            list(self.query("#results Static"))[number - 1].scroll_visible(animate=False, top=True)
            self.call_after_refresh(self._note_shown)
            self._say(f"Result {number} was not on the screen yet: this is it; press {number} again if it is right.")
            return
        result = case.results[number - 1]
        if result.failure:
            self._say(f"{result.strategies[0]} failed: that is no answer.")
        elif result.files is None:
            self.action_refuse()
        elif by_path(result.files) == by_path(case.sample.before):
            self._say("That result changes nothing: press r and say why the edit should be refused.")
        else:
            self._keep(lambda: self.sitting.accept(result.files or (), result.strategies), f"{number} is right")

    def action_refuse(self) -> None:
        """Ask for the reason, then keep that the edit should be refused."""
        if self.sitting.case is None:
            return

        def keep(reason: str | None) -> None:
            if reason is not None:
                self._keep(lambda: self.sitting.refuse(reason), f"refuse, {reason}")

        self.push_screen(Why(), keep)

    def action_edit(self) -> None:
        """Open the first result, else the files before, in the reader's editor, and keep what the reader leaves."""
        case = self.sitting.case
        if case is None:
            return
        start = next((result.files for result in case.results if result.files is not None), case.sample.before)
        try:
            try:
                with self.suspend():
                    right = edited(start)
            except SuspendNotSupported:
                right = edited(start)
        except UsageError as error:
            self._say(f"{error.message}. {error.tip}")
            return
        if by_path(right) == by_path(case.sample.before):
            self._say("The files are as they were before the edit: nothing is taken. Press r to refuse the edit.")
            return
        self._keep(lambda: self.sitting.accept(right), "the edited result is right")

    def action_skip(self) -> None:
        if self.sitting.case is not None:
            self._keep(self.sitting.skip, "skipped")

    def action_undo(self) -> None:
        try:
            undone = self.sitting.undo()
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}")
            return
        self._show("Taken back." if undone else "There is no answer of this sitting to take back.")

    def action_jump(self) -> None:
        """Scroll to the results, which a long edit leaves below the screen."""
        self.query_one("#results").scroll_visible(animate=False, top=True)

    def action_move(self, step: int) -> None:
        self.sitting.move(step)
        self._show()

    def _keep(self, answer: Callable[[], None], said: str) -> None:
        """Give an answer, which is on disk before the next sample is shown."""
        shown = self.sitting.case
        try:
            answer()
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}. Mend that, then answer again.")
            return
        self._show(f"Saved: {shown.sample.id if shown else ''}: {said}. u takes it back.")
