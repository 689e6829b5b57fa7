"""Files and clean edits of them in which every mutator has something to damage."""

from __future__ import annotations

import json.decoder
import textwrap
from functools import cache
from pathlib import Path
from random import Random

from corpora.generation.sources import clean_edits_from_text
from corpora.mutators.clean_edit import CleanEdit

TYPESCRIPT = """\
import { join } from "./paths";

export interface Options {
  limit: number;
  strict: boolean;
}

/** Reads rows -- at most `limit` of them, slowly. */
export class RowReader {
  private readonly rows: string[] = [];

  constructor(private options: Options) {
    if (!options.strict && options.limit > 10) {
      this.options = { limit: 10, strict: false };
    }
  }

  fetchRow(path: string, index: number): string {
    const found = this.rows.find((row) => row !== path);
    // Nothing is there, so an empty row is made up...
    const made_up = join(path, "empty") + `${index - 1}`;
    return found ?? made_up;
  }

  countMatching(pattern: RegExp, offset: number): number {
    let matched = 0;
    for (const row of this.rows) {
      if (pattern.test(row) && matched < offset) {
        matched += 1;
      }
    }

    return matched - this.options.limit;
  }
}
"""

_EDITED = {"json/decoder.py": json.decoder, "textwrap.py": textwrap}


@cache
def documents() -> dict[str, str]:
    """Path -> content."""
    found = {path: Path(str(module.__file__)).read_text("utf-8") for path, module in _EDITED.items()}
    return found | {"src/rows.ts": TYPESCRIPT}


@cache
def clean_edits(n: int = 4, seed: int = 0) -> tuple[CleanEdit, ...]:
    """n clean edits of each document."""
    return tuple(
        clean
        for path, text in documents().items()
        for clean in clean_edits_from_text(path, text, Random(f"{seed}/{path}"), n)
    )
