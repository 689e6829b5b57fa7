// What did the model see of a file that was changed before its edit came, and what was changed?

/** The parts of a sample whose file was changed since the model saw it; none for others. */
function seenParts(texts, part) {
  if (!texts.seen) return [];
  const [path, line, seen, lines, sinceLine, was, now, omitted, files] = texts.seen;
  const note = (text) => h("p", { class: "note" }, text);
  return [
    part("What the model saw", where(path, line), lines ? note(`It was shown lines ${lines} of this text.`) : null, textView(seen, line, path)),
    part("What changed since", where(path, sinceLine), diffView(was, now, sinceLine, path),
      files > 1 ? note(`${counted(files - 1, "more file")} changed since.`) : null,
      omitted ? note(`${count(omitted)} characters are not kept.`) : null),
  ];
}
