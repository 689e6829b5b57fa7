/** HTML entities: those that models write for signs of code. */

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\xa0" };
const ENTITY = /&(?:([a-z]+)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

/** The text with characters for its entities. */
export const unescaped = (text: string): string =>
  text.replace(ENTITY, (whole, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : whole;
  });
