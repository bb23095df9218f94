import { stripVTControlCharacters } from 'node:util';

/**
 * Text from outside as one line that a terminal only shows: without escape sequences, control characters, and the marks
 * that turn the direction of writing around or show nothing.
 */
export function harmlessLine(text: string): string {
  return harmlessBlock(text).replace(/\s+/g, ' ').trim();
}

/** The same, keeping line ends and tabs. */
export function harmlessBlock(text: string): string {
  return stripVTControlCharacters(text).replace(controls, '').replace(invisible, '');
}

/** JSON for people's terminals too: what could steer one is escaped, and reads back as the same value. */
export function formatJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replace(steering, escapeCharacter);
}

const controls = /[^\P{Cc}\n\t]/gu;
/** Marks of direction, zero-width marks, line separators and tags. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const steering =
  /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
