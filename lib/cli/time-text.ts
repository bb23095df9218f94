import type { Instant } from '../core/issue.ts';

/** `14:03:05`, in the machine's own zone. */
export function clockTime(at: Instant): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => pad(part)).join(':');
}

/** `2026-11-29 14:03:05`, in the machine's own zone; `-` when there is none. */
export function dayAndTime(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '-';
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const day = new Date(at);
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())} ${clockTime(at)}`;
}

/** `8 s`, `3 min`, `2 h`, `5 d`: the largest unit that fits, rounded up. */
export function roughDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.ceil(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.ceil(seconds / 3_600)} h`;
  return `${Math.ceil(seconds / 86_400)} d`;
}

function pad(part: number): string {
  return String(part).padStart(2, '0');
}
