"""code-puppy's replace_in_file, all edits of a sample in one call, without its reading and writing of the file."""

from __future__ import annotations

from code_puppy.tools.file_modifications import apply_replacements_to_content

from .protocol import Refusal, Sample, contents, serve


def apply(sample: Sample) -> dict[str, str]:
    [(path, text)] = contents(sample).items()
    names = {"old_string": "old_str", "new_string": "new_str", "replace_all": "replace_all"}
    edits = [{theirs: edit[ours] for ours, theirs in names.items()} for edit in sample["edits"]]
    answer = apply_replacements_to_content(text, edits)
    if "error" in answer:
        reasons = {"No changes": "identical", "Found": "ambiguous"}
        found = next((reason for words, reason in reasons.items() if answer["error"].startswith(words)), "no_match")
        raise Refusal(found, answer["error"])
    return {path: answer["content"]}


if __name__ == "__main__":
    serve(apply)
