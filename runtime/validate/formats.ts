/** Validated string formats. All patterns match in linear time. */
import { isIPv4, isIPv6 } from 'node:net';

const date = /^\d{4}-\d\d-\d\d$/;
const time = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const dateTime = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** The number formed by the two digits at a position. */
function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

/** Whether the day exists. The string must begin like a date. */
function isDay(text: string): boolean {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const isShort = month === 4 || month === 6 || month === 9 || month === 11;
  return day <= (month === 2 ? (isLeap ? 29 : 28) : isShort ? 30 : 31);
}

/**
 * Whether a time is valid (RFC 3339, with a zone). The second 60 is only valid at the end of a day in UTC. The string must have the
 * form of a time from `at` on.
 */
function isTimestamp(text: string, at: number): boolean {
  const hour = twoDigits(text, at);
  const minute = twoDigits(text, at + 3);
  const second = twoDigits(text, at + 6);
  if (hour > 23 || minute > 59) return false;
  const isUtc = text.endsWith('z') || text.endsWith('Z');
  const zoneHour = isUtc ? 0 : twoDigits(text, text.length - 5);
  const zoneMinute = isUtc ? 0 : twoDigits(text, text.length - 2);
  if (zoneHour > 23 || zoneMinute > 59) return false;
  if (second <= 59) return true;
  const offset = (zoneHour * 60 + zoneMinute) * (text.at(-6) === '-' ? -1 : 1);
  const utc = (hour * 60 + minute - offset + 2880) % 1440;
  return second === 60 && utc === 1439;
}

function isDate(text: string): boolean {
  return date.test(text) && isDay(text);
}

function isTime(text: string): boolean {
  return time.test(text) && isTimestamp(text, 0);
}

function isDateTime(text: string): boolean {
  return dateTime.test(text) && isDay(text) && isTimestamp(text, 11);
}

/** Formats by name in the API description, each with its name for messages. */
export const formats = {
  date: { name: 'a date such as 2026-01-31', matches: isDate },
  'date-time': { name: 'a date-time such as 2026-01-31T12:00:00Z', matches: isDateTime },
  time: { name: 'a time such as 12:00:00Z', matches: isTime },
  uuid: {
    name: 'a UUID',
    matches: (text: string) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  },
  email: { name: 'an e-mail address', matches: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text) },
  ipv4: { name: 'an IPv4 address', matches: (text: string) => isIPv4(text) },
  ipv6: { name: 'an IPv6 address', matches: (text: string) => isIPv6(text) && !text.includes('%') },
  uri: { name: 'a URI', matches: (text: string) => /^[a-z][a-z\d+.-]*:\S*$/i.test(text) },
} as const;

export type Format = keyof typeof formats;
