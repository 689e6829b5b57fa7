"""The edit tool of LangChain's deepagents on files on disk, one call per edit."""

from __future__ import annotations

from deepagents.backends.filesystem import FilesystemBackend

from .protocol import Refusal, Sample, on_disk, serve, texts


def apply(sample: Sample) -> dict[str, str]:
    with on_disk(sample) as folder:
        backend = FilesystemBackend(root_dir=folder, virtual_mode=True)
        for edit in sample["edits"]:
            path, old, new = f"/{sample['before'][0]['path']}", edit["old_string"], edit["new_string"]
            error = backend.edit(path, old, new, replace_all=edit["replace_all"]).error
            if error:
                raise Refusal("empty" if not old else "ambiguous" if " times in file" in error else "no_match", error)
        return texts(folder)


if __name__ == "__main__":
    serve(apply)
